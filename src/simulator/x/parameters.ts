import type { Millis } from "../world/model.ts"
import { invalid, invalidValue } from "./problems.ts"
import { parseSnowflake, type Snowflake } from "./snowflake.ts"

/** Allowed values of the list parameters. */
const choices = {
  "tweet.fields": `article attachments author_id card_uri community_id context_annotations conversation_id created_at
    display_text_range edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang media_metadata
    non_public_metrics note_tweet organic_metrics possibly_sensitive promoted_metrics public_metrics referenced_tweets
    reply_settings scopes source suggested_source_links text withheld`,
  "user.fields": `affiliation confirmed_email connection_status created_at description entities id is_identity_verified
    location most_recent_tweet_id name parody pinned_tweet_id profile_banner_url profile_image_url protected
    public_metrics receives_your_dm subscription subscription_type url username verified verified_followers_count
    verified_type withheld`,
  "media.fields": `alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url
    promoted_metrics public_metrics type url variants width`,
  "place.fields": "contained_within country country_code full_name geo id name place_type",
  "poll.fields": "duration_minutes end_datetime id options voting_status",
  expansions: `article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet
    attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username entities.note.mentions.username
    geo.place_id in_reply_to_user_id referenced_tweets.id referenced_tweets.id.attachments.media_keys
    referenced_tweets.id.author_id`,
  exclude: "replies retweets",
} as const

type ChoiceName = keyof typeof choices

const allowedOf = (name: ChoiceName): ReadonlyArray<string> => choices[name].split(/\s+/)

/** The requested fields and expansions. */
export interface FieldSelection {
  readonly tweet: ReadonlySet<string>
  readonly user: ReadonlySet<string>
  readonly media: ReadonlySet<string>
  readonly expansions: ReadonlySet<string>
}

/** An expansion implies the field that it expands. */
const implied: Readonly<Record<string, string>> = {
  author_id: "author_id",
  in_reply_to_user_id: "in_reply_to_user_id",
  "article.cover_media": "article",
  "attachments.media_keys": "attachments",
  "referenced_tweets.id": "referenced_tweets",
  "referenced_tweets.id.author_id": "referenced_tweets",
  "referenced_tweets.id.attachments.media_keys": "referenced_tweets",
  "entities.mentions.username": "entities",
}

export const selectionOf = (choice: (name: ChoiceName) => ReadonlyArray<string>): FieldSelection => {
  const expansions = choice("expansions")
  const impliedFields = expansions.flatMap((each) => implied[each] ?? [])
  return {
    tweet: new Set(["id", "text", "edit_history_tweet_ids", ...choice("tweet.fields"), ...impliedFields]),
    user: new Set(["id", "name", "username", ...choice("user.fields")]),
    media: new Set(["media_key", "type", ...choice("media.fields")]),
    expansions: new Set(expansions),
  }
}

/** The selected fields that have a value. */
export const pickFields = (all: object, names: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name, value]) => names.has(name) && value !== undefined))

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** Typed query parameters; unknown names throw. */
export class Parameters {
  readonly #params: URLSearchParams

  constructor(params: URLSearchParams, allowed: ReadonlyArray<string>) {
    this.#params = params
    for (const [name, value] of params) {
      if (!allowed.includes(name)) {
        throw invalid({ [name]: [value] }, `The query parameter [${name}] is not one of [${allowed.join(",")}]`)
      }
    }
  }

  text(name: string): string | undefined {
    return this.#params.get(name) ?? undefined
  }

  integer(name: string, min: number, max: number, fallback: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    if (!/^\d{1,9}$/.test(text)) throw invalidValue(name, text, "is not a valid integer")
    const number = Number(text)
    if (number < min || number > max) throw invalidValue(name, text, `is not between ${min} and ${max}`)
    return number
  }

  time(name: string): Millis | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const time = timePattern.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(time)) throw invalidValue(name, text, "is not a valid RFC3339 date-time")
    return time
  }

  tweetId(name: string): Snowflake | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const snowflake = parseSnowflake(text)
    if (snowflake === undefined) throw invalidValue(name, text, "is not a valid Tweet ID")
    return snowflake
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = values.find((each) => each === text)
    if (value === undefined) throw invalidValue(name, text, `is not one of [${values.join(",")}]`)
    return value
  }

  /** A comma-separated list of allowed values. */
  choices(name: ChoiceName): ReadonlyArray<string> {
    const text = this.text(name)
    if (text === undefined || text === "") return []
    const allowed = allowedOf(name)
    const values = text.split(",")
    const wrong = values.find((each) => !allowed.includes(each))
    if (wrong !== undefined) throw invalidValue(name, wrong, `is not one of [${allowed.join(",")}]`)
    return values
  }
}
