import { Schema } from "effect"
import { QueryError, type SocialQuery } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"
import { maxPosts } from "#src/social/Social.ts"
import { limitOf } from "../input/page.ts"
import { parameter } from "../input/parameter.ts"
import { BadInput } from "../server/errors.ts"

const maxLength = 1_024

const wrong = (param: string, problem: string, hint?: string) =>
  new BadInput({ error: `Parameter "${param}": ${problem}.`, param, ...(hint === undefined ? {} : { hint }) })

interface GivenQuery {
  readonly text: string
  readonly query: SocialQuery
}

const query = parameter((text): GivenQuery | BadInput => {
  if (text.length > maxLength) return wrong("q", `expected at most ${maxLength} characters, got ${text.length}`)
  const translated = translateQuery(text)
  return translated instanceof QueryError
    ? wrong("q", translated.problem, translated.hint)
    : { text, query: translated }
}).annotate({
  description: `words, "exact phrases", #hashtags and operators such as from:, since:, until:, min_faves: and min_retweets:`,
})

export const handleParameter = parameter((text): string | BadInput => {
  const handle = text.replace(/^@/, "")
  return /^\w{1,15}$/.test(handle)
    ? handle
    : wrong("handle", `expected 1 to 15 letters, digits and _, got ${JSON.stringify(text.slice(0, 60))}`)
}).annotate({ description: "the handle of a public account, with or without @, in any case" })

export const searchQuery = { q: query, max: limitOf("posts", { default: 20, max: maxPosts }) }
export const timelineQuery = { max: limitOf("posts", { default: 30, max: maxPosts }) }

const Author = Schema.Struct({ id: Schema.String, name: Schema.String, username: Schema.String }).annotate({
  identifier: "PostAuthor",
})

const Card = Schema.Struct({
  url: Schema.String.annotate({ description: "The address of the page after all redirects" }),
  domain: Schema.String.annotate({ description: "The host of `url` without `www.`" }),
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  image_url: Schema.NullOr(Schema.String).annotate({ description: "The largest picture of the page" }),
}).annotate({
  identifier: "PostCard",
  description:
    "The preview of the last link whose page the network knows. Absent beside `media` and `quoted_tweet`, which the network shows instead",
})

const Article = Schema.Struct({
  title: Schema.String,
  url: Schema.String.annotate({ description: "Where the network shows it" }),
  preview_text: Schema.NullOr(Schema.String).annotate({ description: "How it begins" }),
  plain_text: Schema.NullOr(Schema.String).annotate({
    description: "The whole text without its form; null when the network gives only the rest",
  }),
  image_url: Schema.NullOr(Schema.String).annotate({ description: "The cover" }),
}).annotate({ identifier: "PostArticle", description: "The long text that the post publishes" })

const postFields = {
  id: Schema.String,
  text: Schema.String.annotate({ description: "The whole text, with links expanded" }),
  created_at: Schema.String.annotate({ description: "As in `Wed Oct 10 20:19:24 +0000 2018`" }),
  public_metrics: Schema.Struct({
    retweet_count: Schema.Int,
    reply_count: Schema.Int,
    like_count: Schema.Int,
    quote_count: Schema.Int,
    bookmark_count: Schema.Int,
    impression_count: Schema.String,
  }),
  author: Author,
  conversation_id: Schema.String,
  urls: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        url: Schema.String.annotate({ description: "The short link" }),
        expanded_url: Schema.String,
        display_url: Schema.String,
        title: Schema.NullOr(Schema.String),
        description: Schema.NullOr(Schema.String),
      }),
    ),
  ),
  media: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        type: Schema.String,
        url: Schema.NullOr(Schema.String).annotate({ description: "The picture, or the still of a video" }),
        expanded_url: Schema.NullOr(Schema.String).annotate({ description: "Where the network shows it" }),
        video_url: Schema.optionalKey(Schema.String),
      }),
    ),
  ),
  card: Schema.optionalKey(Card),
  article: Schema.optionalKey(Article),
}

export const Post = Schema.Struct({
  ...postFields,
  quoted_tweet: Schema.optionalKey(Schema.Struct(postFields)),
}).annotate({ identifier: "Post" })

const listFields = {
  tweets: Schema.Array(Post).annotate({ description: "Newest first" }),
  result_count: Schema.Int,
  has_more: Schema.Boolean.annotate({ description: "Whether older posts may match; narrow with until: to see them" }),
  fetched_at: Schema.String.annotate({ description: "When the network was asked, ISO 8601; up to a minute ago" }),
}

export const FoundPosts = Schema.Struct({ query: Schema.String, ...listFields }).annotate({ identifier: "FoundPosts" })
export const Timeline = Schema.Struct({
  handle: Schema.String.annotate({ description: "As the account spells it" }),
  ...listFields,
}).annotate({ identifier: "Timeline" })

/** The network does not answer. */
export class NetworkFailed extends Schema.Error<NetworkFailed>("NetworkFailed")(
  { error: Schema.String, hint: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 502, description: "The network does not answer; the request does not count toward the quota" },
) {}
