import { hash, hexOf } from "../random.ts"
import { normalizeText } from "../searxng/words.ts"
import type { Millis } from "../world/model.ts"
import type { Account } from "./accounts.ts"
import type { Draft } from "./compose.ts"
import { articleTitles, articleUrl, elaboration, reactions } from "./phrases.ts"
import { type Snowflake, snowflakeId } from "./snowflake.ts"

export type PostKind = "post" | "reply" | "quote" | "retweet"

/** A short link in a text and its target. */
export interface Link {
  readonly url: string
  readonly expanded: string
  readonly display: string
  /** What X knows of the page. */
  readonly page: LinkedPage | undefined
  readonly mediaKey: string | undefined
}

interface LinkedPage {
  readonly title: string
  readonly description: string | undefined
  /** Name of its picture. */
  readonly picture: string | undefined
}

/** A long text that a post publishes. */
export interface Article {
  readonly title: string
  readonly text: string
  /** Media key of the cover. */
  readonly cover: string | undefined
}

/** The content of a post without its links. */
interface PostBody {
  readonly text: string
  /** Normalized for search. */
  readonly normalized: string
  readonly link: Draft["link"]
}

/** Provides the parts of a post that are computed on demand. */
export interface PostSource {
  readonly seed: number
  readonly draftOf: (post: Post) => Draft
  /** The earlier original post that a post replies to, quotes or retweets. */
  readonly referenceOf: (slot: number) => Post | undefined
}

interface PostOptions extends Snowflake {
  readonly slot: number
  readonly author: Account
  readonly kind: PostKind
}

const shortLink = (seed: number, slot: number, index: number) =>
  `https://t.co/${hexOf(8, seed, slot, index).slice(0, 10)}`

const statusLink = ({ author, id }: Post) => `https://x.com/${author.username}/status/${id}`

/** Without encryption, as X writes it. */
const articleLink = ({ at, serial }: Post) => `http://x.com/i/article/${snowflakeId({ at: at - 3, serial })}`

const displayOf = (address: string): string => {
  const bare = address.replace(/^https?:\/\/(www\.)?/, "")
  return bare.length > 30 ? `${bare.slice(0, 29)}…` : bare
}

/** One post. The content is generated on first use, because most posts are only checked for their author. */
export class Post implements Snowflake {
  readonly slot: number
  readonly at: Millis
  readonly serial: number
  readonly author: Account
  readonly kind: PostKind
  readonly #source: PostSource
  #body: PostBody | undefined

  constructor({ slot, at, serial, author, kind }: PostOptions, source: PostSource) {
    this.slot = slot
    this.at = at
    this.serial = serial
    this.author = author
    this.kind = kind
    this.#source = source
  }

  get id(): string {
    return snowflakeId(this)
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

  /** Only of paying accounts, and never beside a picture or another link. */
  get article(): Article | undefined {
    if (this.kind !== "post" || this.author.verified === "none" || this.roll(14) % 16 !== 0) return undefined
    if (this.hasPhoto || this.#content.link !== undefined) return undefined
    const titles = articleTitles[this.author.beat]
    return {
      title: titles[this.roll(15) % titles.length] as string,
      text: [this.#content.text, elaboration, `More: ${articleUrl}`].join("\n"),
      cover: this.roll(16) % 4 === 0 ? undefined : `3_${snowflakeId({ at: this.at - 2, serial: this.serial })}`,
    }
  }

  get mediaKey(): string {
    return `3_${snowflakeId({ at: this.at - 1, serial: this.serial })}`
  }

  /** The full text with links. */
  get full(): string {
    const { reference } = this
    if (this.kind === "retweet" && reference !== undefined) return `${this.#content.text}${reference.full}`
    return [this.#content.text, ...this.links.map(({ url }) => url)].join(" ")
  }

  /** The normalized text, without links. */
  get normalized(): string {
    return this.#content.normalized
  }

  get links(): ReadonlyArray<Link> {
    const { reference } = this
    if (this.kind === "reply") return []
    if (reference !== undefined)
      return this.kind === "retweet" ? reference.links : [this.#link(0, statusLink(reference))]
    const { link } = this.#content
    return [
      ...(link === undefined ? [] : [this.#link(1, link.expanded, this.#page(link.title))]),
      ...(this.hasPhoto ? [this.#photoLink()] : []),
      ...(this.article === undefined ? [] : [this.#link(3, articleLink(this))]),
    ]
  }

  /** A pseudorandom number for each purpose. */
  roll(purpose: number): number {
    return hash(this.#source.seed, this.slot, purpose)
  }

  get #content(): PostBody {
    this.#body ??= this.#compose()
    return this.#body
  }

  #compose(): PostBody {
    const { reference } = this
    if (reference === undefined) {
      const { text, link, via } = this.#source.draftOf(this)
      const whole = via === undefined ? text : `${text} via @${via}`
      return { text: whole, normalized: normalizeText(whole), link }
    }
    const { username } = reference.author
    if (this.kind === "retweet") {
      const text = `RT @${username}: `
      return { text, normalized: `${normalizeText(text)}${reference.normalized}`, link: undefined }
    }
    const reaction = reactions[this.roll(6) % reactions.length] as string
    const text = this.kind === "reply" ? `@${username} ${reaction}` : reaction
    return { text, normalized: normalizeText(text), link: undefined }
  }

  #link(index: number, expanded: string, page?: LinkedPage): Link {
    const url = shortLink(this.#source.seed, this.slot, index)
    return { url, expanded, display: displayOf(expanded), page, mediaKey: undefined }
  }

  /** X could not read everything of every page. */
  #page(title: string): LinkedPage {
    return {
      title,
      description: this.roll(17) % 4 === 0 ? undefined : `Prices, volume and rules of “${title}”.`,
      picture: this.roll(18) % 3 === 0 ? undefined : this.id,
    }
  }

  #photoLink(): Link {
    const url = shortLink(this.#source.seed, this.slot, 2)
    const display = url.replace("https://t.co/", "pic.x.com/")
    return { url, expanded: `${statusLink(this)}/photo/1`, display, page: undefined, mediaKey: this.mediaKey }
  }
}
