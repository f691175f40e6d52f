import { hash, hexOf } from "../random.ts"
import { plainOf } from "../searxng/words.ts"
import type { Millis } from "../world/model.ts"
import type { Account } from "./accounts.ts"
import type { Draft } from "./compose.ts"
import { reactions } from "./phrases.ts"
import { idOf, type Stamp } from "./snowflake.ts"

export type PostKind = "post" | "reply" | "quote" | "retweet"

/** A link as it stands in a text, and where it leads. */
export interface Link {
  readonly url: string
  readonly expanded: string
  readonly display: string
  readonly title: string | undefined
  readonly mediaKey: string | undefined
}

/** What a post says, without its links. */
interface Body {
  readonly text: string
  /** For comparing. */
  readonly plain: string
  readonly link: Draft["link"]
}

/** Where a post gets from what it needs only when it is looked at. */
export interface Source {
  readonly seed: number
  readonly draftOf: (post: Post) => Draft
  /** What a post answers, quotes or repeats: an earlier one that stands on its own. */
  readonly referenceOf: (slot: number) => Post | undefined
}

export interface PostOptions extends Stamp {
  readonly slot: number
  readonly author: Account
  readonly kind: PostKind
}

const shortLink = (seed: number, slot: number, place: number) =>
  `https://t.co/${hexOf(8, seed, slot, place).slice(0, 10)}`

const statusLink = ({ author, id }: Post) => `https://x.com/${author.username}/status/${id}`

const displayOf = (address: string): string => {
  const bare = address.replace(/^https:\/\/(www\.)?/, "")
  return bare.length > 30 ? `${bare.slice(0, 29)}…` : bare
}

/** One post. What it says is made when first asked for: most are only looked at for who wrote them. */
export class Post implements Stamp {
  readonly slot: number
  readonly at: Millis
  readonly serial: number
  readonly author: Account
  readonly kind: PostKind
  readonly #source: Source
  #body: Body | undefined

  constructor({ slot, at, serial, author, kind }: PostOptions, source: Source) {
    this.slot = slot
    this.at = at
    this.serial = serial
    this.author = author
    this.kind = kind
    this.#source = source
  }

  get id(): string {
    return idOf(this)
  }

  get reference(): Post | undefined {
    return this.kind === "post" ? undefined : this.#source.referenceOf(this.slot)
  }

  get conversationId(): string {
    return this.kind === "reply" ? (this.reference?.id ?? this.id) : this.id
  }

  get lang(): string {
    return this.kind === "retweet" ? (this.reference?.lang ?? "en") : this.author.lang
  }

  get hasPhoto(): boolean {
    return this.kind === "post" && hash(this.#source.seed, this.slot, 5) % 8 === 0
  }

  get mediaKey(): string {
    return `3_${idOf({ at: this.at - 1, serial: this.serial })}`
  }

  /** All of it, as it was written. */
  get full(): string {
    const { reference } = this
    if (this.kind === "retweet" && reference !== undefined) return `${this.#said.text}${reference.full}`
    return [this.#said.text, ...this.links.map(({ url }) => url)].join(" ")
  }

  /** What it says as it is compared, without links, whose letters mean nothing. */
  get plain(): string {
    return this.#said.plain
  }

  get links(): ReadonlyArray<Link> {
    const { reference } = this
    if (this.kind === "reply") return []
    if (reference !== undefined)
      return this.kind === "retweet" ? reference.links : [this.#link(0, statusLink(reference))]
    const { link } = this.#said
    return [
      ...(link === undefined ? [] : [this.#link(1, link.expanded, link.title)]),
      ...(this.hasPhoto ? [this.#photoLink()] : []),
    ]
  }

  /** A number of its own for each purpose. */
  roll(purpose: number): number {
    return hash(this.#source.seed, this.slot, purpose)
  }

  get #said(): Body {
    this.#body ??= this.#say()
    return this.#body
  }

  #say(): Body {
    const { reference } = this
    if (reference === undefined) {
      const { text, link, via } = this.#source.draftOf(this)
      const whole = via === undefined ? text : `${text} via @${via}`
      return { text: whole, plain: plainOf(whole), link }
    }
    const { username } = reference.author
    if (this.kind === "retweet") {
      const text = `RT @${username}: `
      return { text, plain: `${plainOf(text)}${reference.plain}`, link: undefined }
    }
    const reaction = reactions[this.roll(6) % reactions.length] as string
    const text = this.kind === "reply" ? `@${username} ${reaction}` : reaction
    return { text, plain: plainOf(text), link: undefined }
  }

  #link(place: number, expanded: string, title?: string): Link {
    const url = shortLink(this.#source.seed, this.slot, place)
    return { url, expanded, display: displayOf(expanded), title, mediaKey: undefined }
  }

  #photoLink(): Link {
    const url = shortLink(this.#source.seed, this.slot, 2)
    const display = url.replace("https://t.co/", "pic.x.com/")
    return { url, expanded: `${statusLink(this)}/photo/1`, display, title: undefined, mediaKey: this.mediaKey }
  }
}
