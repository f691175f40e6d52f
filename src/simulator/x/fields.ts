/** Values that the parameters which choose fields may have. */
export const choices = {
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

export type ChoiceName = keyof typeof choices

export const allowedOf = (name: ChoiceName): ReadonlyArray<string> => choices[name].split(/\s+/)

/** What was asked for of everything that is shown. */
export interface Selection {
  readonly tweet: ReadonlySet<string>
  readonly user: ReadonlySet<string>
  readonly media: ReadonlySet<string>
  readonly expansions: ReadonlySet<string>
}

/** An expansion brings the field along that it expands. */
const implied: Readonly<Record<string, string>> = {
  author_id: "author_id",
  in_reply_to_user_id: "in_reply_to_user_id",
  "attachments.media_keys": "attachments",
  "referenced_tweets.id": "referenced_tweets",
  "referenced_tweets.id.author_id": "referenced_tweets",
  "referenced_tweets.id.attachments.media_keys": "referenced_tweets",
  "entities.mentions.username": "entities",
}

export const selectionOf = (choice: (name: ChoiceName) => ReadonlyArray<string>): Selection => {
  const expansions = choice("expansions")
  const brought = expansions.flatMap((each) => implied[each] ?? [])
  return {
    tweet: new Set(["id", "text", "edit_history_tweet_ids", ...choice("tweet.fields"), ...brought]),
    user: new Set(["id", "name", "username", ...choice("user.fields")]),
    media: new Set(["media_key", "type", ...choice("media.fields")]),
    expansions: new Set(expansions),
  }
}

/** The chosen fields of an object that have a value. */
export const picked = (all: object, wanted: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name, value]) => wanted.has(name) && value !== undefined))
