import { hash, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { Millis } from "../world/model.ts"
import { type Account, accounts } from "./accounts.ts"
import { compose } from "./compose.ts"
import { Happenings } from "./Happenings.ts"
import { Post, type PostKind, type Source } from "./Post.ts"
import { serials } from "./snowflake.ts"

/** One post in every stretch of this length. */
const slotMillis = 8_000
const slotsPerHour = 450

/** A little more than the week that can be searched. */
const hoursKept = 176

/** How far back an answer reaches. */
const referenceReach = 400

const kinds: ReadonlyArray<PostKind> = [
  "post",
  "post",
  "post",
  "post",
  "post",
  "post",
  "post",
  "reply",
  "retweet",
  "quote",
]

export const slotAt = (at: Millis): number => Math.floor(at / slotMillis)

/** All that was ever posted: a pure function of time and of the world, made by the hour when looked at. */
export class Posts {
  readonly #sim: Simulation
  readonly #source: Source
  readonly #happenings: Happenings
  readonly #hours = new Map<number, ReadonlyArray<Post>>()
  #hour = -1
  #opened: ReadonlyArray<Post> = []
  readonly #firstSlot: number
  readonly #seed: number

  constructor(sim: Simulation) {
    this.#sim = sim
    this.#seed = seedOf(0, "posts")
    this.#happenings = new Happenings(sim)
    this.#firstSlot = slotAt(sim.made.world.start) + 1
    this.#source = {
      seed: this.#seed,
      draftOf: ({ author, at }) => compose(sim, this.#happenings, author, at),
      referenceOf: (slot) => this.#referenceOf(slot),
    }
  }

  get first(): number {
    return this.#firstSlot
  }

  /** The world knows what happens up to its last step, which may be a little before now. */
  get now(): Millis {
    return Math.min(this.#sim.now(), this.#sim.made.world.now)
  }

  at(slot: number): Post {
    const hour = Math.floor(slot / slotsPerHour)
    if (hour !== this.#hour) this.#open(hour)
    return this.#opened[slot - hour * slotsPerHour] as Post
  }

  authorOf(slot: number): Account {
    return accounts[hash(this.#seed, slot, 1) % accounts.length] as Account
  }

  kindOf(slot: number): PostKind {
    if (slot <= this.#firstSlot) return "post"
    return kinds[hash(this.#seed, slot, 2) % kinds.length] as PostKind
  }

  /** Neighbours are asked for one after the other; of the others those stay that were looked at last. */
  #open(hour: number): void {
    this.#hour = hour
    this.#opened =
      this.#hours.get(hour) ?? Array.from({ length: slotsPerHour }, (_, i) => this.#make(hour * slotsPerHour + i))
    this.#hours.delete(hour)
    this.#hours.set(hour, this.#opened)
    if (this.#hours.size > hoursKept) this.#hours.delete(this.#hours.keys().next().value as number)
  }

  #make(slot: number): Post {
    const at = slot * slotMillis + (hash(this.#seed, slot, 3) % slotMillis)
    const serial = hash(this.#seed, slot, 4) % serials
    return new Post({ slot, at, serial, author: this.authorOf(slot), kind: this.kindOf(slot) }, this.#source)
  }

  #referenceOf(slot: number): Post {
    let earlier = Math.max(this.#firstSlot, slot - 1 - (hash(this.#seed, slot, 7) % referenceReach))
    while (this.kindOf(earlier) !== "post") earlier -= 1
    return this.at(earlier)
  }
}
