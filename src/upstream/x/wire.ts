import { Schema } from "effect"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** A part that a post is complete without: read as far as it has the documented types. */
const Extra = Schema.optionalKey(Schema.Unknown)
const Count = Schema.optionalKey(Schema.NullOr(Schema.Int))

export const WireUser = Schema.Struct({ id: Schema.String, name: Schema.String, username: Schema.String })

export const WireUrl = Schema.Struct({
  url: Schema.String,
  expanded_url: Text,
  display_url: Text,
  title: Extra,
  description: Extra,
  unwound_url: Extra,
  images: Extra,
  media_key: Text,
})
export type WireUrl = typeof WireUrl.Type

export const WireTweet = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^\d{1,19}$/)),
  text: Schema.String,
  created_at: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)),
  author_id: Schema.String,
  conversation_id: Text,
  public_metrics: Schema.optionalKey(
    Schema.Struct({
      retweet_count: Count,
      reply_count: Count,
      like_count: Count,
      quote_count: Count,
      bookmark_count: Count,
      impression_count: Count,
    }),
  ),
  entities: Extra,
  attachments: Schema.optionalKey(Schema.Struct({ media_keys: Schema.optionalKey(Schema.Array(Schema.String)) })),
  referenced_tweets: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, id: Schema.String }))),
  note_tweet: Schema.optionalKey(Schema.Struct({ text: Schema.String, entities: Extra })),
  article: Extra,
})
export type WireTweet = typeof WireTweet.Type

export const WireMedia = Schema.Struct({
  media_key: Schema.String,
  type: Schema.String,
  url: Text,
  preview_image_url: Text,
  variants: Schema.optionalKey(
    Schema.Array(Schema.Struct({ content_type: Text, url: Text, bit_rate: Schema.optionalKey(Schema.Finite) })),
  ),
})
export type WireMedia = typeof WireMedia.Type

const Rows = Schema.optionalKey(Schema.Array(Schema.Unknown))

/** A problem beside the data of a successful response, or in an unsuccessful one. */
const WireProblem = Schema.Struct({ type: Text, title: Text, detail: Text, message: Text })

/** Rows are decoded one by one, so that one odd row does not cost the others. */
export const WirePage = Schema.Struct({
  data: Rows,
  includes: Schema.optionalKey(Schema.Struct({ users: Rows, tweets: Rows, media: Rows })),
  meta: Schema.optionalKey(Schema.Struct({ next_token: Text, result_count: Schema.optionalKey(Schema.Int) })),
  errors: Schema.optionalKey(Schema.Array(WireProblem)),
  type: Text,
})

export const WireFoundUser = Schema.Struct({
  data: Schema.optionalKey(WireUser),
  errors: Schema.optionalKey(Schema.Array(WireProblem)),
  type: Text,
})

/** The type of problem that a wrong query has. */
export const isInvalidRequest = (type: string | null | undefined): boolean =>
  type?.endsWith("/problems/invalid-request") === true
