import { Schema } from "effect"

export interface SocialLink {
  readonly url: string
  readonly expanded_url: string
  readonly display_url: string
  readonly title: string | null
  readonly description: string | null
}

export interface SocialMedia {
  readonly type: string
  readonly url: string | null
  readonly expanded_url: string | null
  readonly video_url?: string
}

/** What the network shows of the page that a post links to. */
export interface SocialCard {
  readonly url: string
  readonly domain: string
  readonly title: string
  readonly description: string | null
  readonly image_url: string | null
}

/** A long text that a post publishes. */
export interface SocialArticle {
  readonly title: string
  readonly url: string
  readonly preview_text: string | null
  readonly plain_text: string | null
  readonly image_url: string | null
}

/** A post as it is answered; a value of JSON, so that processes can share it. */
export interface SocialPost {
  readonly id: string
  readonly text: string
  readonly created_at: string
  readonly public_metrics: {
    readonly retweet_count: number
    readonly reply_count: number
    readonly like_count: number
    readonly quote_count: number
    readonly bookmark_count: number
    readonly impression_count: string
  }
  readonly author: { readonly id: string; readonly name: string; readonly username: string }
  readonly conversation_id: string
  readonly urls?: ReadonlyArray<SocialLink>
  readonly media?: ReadonlyArray<SocialMedia>
  readonly card?: SocialCard
  readonly quoted_tweet?: SocialPost
  readonly article?: SocialArticle
}

export interface SocialFindings {
  /** Newest first. */
  readonly posts: ReadonlyArray<SocialPost>
  /** Whether older posts may match. */
  readonly hasMore: boolean
  /** Milliseconds. */
  readonly fetchedAt: number
}

const failures = [
  "query",
  "no-account",
  "hidden-account",
  "unconfigured",
  "refused",
  "rate-limited",
  "capped",
  "budget",
  "down",
] as const

/** Nothing was found out. `detail` may quote the query only for a wrong query, which is not logged. */
export class SocialFailed extends Schema.TaggedError<SocialFailed>()("SocialFailed", {
  kind: Schema.Literals(failures),
  detail: Schema.String,
  hint: Schema.optionalKey(Schema.String),
  /** Unix seconds. */
  resetAt: Schema.optionalKey(Schema.Number),
}) {
  override get message() {
    return `${this.kind}: ${this.detail}`
  }

  /** Whether it is about X or this service, not about the request. */
  get isOutage(): boolean {
    return !["query", "no-account", "hidden-account"].includes(this.kind)
  }
}
