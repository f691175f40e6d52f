import type { Millis } from "../world/model.ts"
import { type Account, accountNamed } from "./accounts.ts"
import { entitiesOf, escaped, mentionedIn } from "./entities.ts"
import { picked, type Selection } from "./fields.ts"
import { metricsOf } from "./metrics.ts"
import type { Post } from "./Post.ts"

const longest = 280
const longestRepeated = 140

const cut = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`
}

/** Repeated posts are cut short, and so are long ones, which say the rest in a note. */
const shownText = ({ kind, full }: Post): string => escaped(cut(full, kind === "retweet" ? longestRepeated : longest))

const noteOf = ({ kind, full, links }: Post) => {
  if (kind === "retweet" || [...full].length <= longest) return undefined
  const text = escaped(full)
  return { text, entities: entitiesOf(text, links) }
}

const referenceTypes = { reply: "replied_to", quote: "quoted", retweet: "retweeted", post: "" } as const

export const tweetJson = (post: Post, { tweet }: Selection, now: Millis): Record<string, unknown> => {
  const { reference, id } = post
  const text = shownText(post)
  return picked(
    {
      id,
      text,
      edit_history_tweet_ids: [id],
      created_at: new Date(post.at).toISOString(),
      author_id: post.author.id,
      conversation_id: post.conversationId,
      in_reply_to_user_id: post.kind === "reply" ? reference?.author.id : undefined,
      lang: post.lang,
      public_metrics: tweet.has("public_metrics") ? metricsOf(post, now) : undefined,
      entities: tweet.has("entities") ? entitiesOf(text, post.links) : undefined,
      referenced_tweets: reference && [{ type: referenceTypes[post.kind], id: reference.id }],
      attachments: post.hasPhoto ? { media_keys: [post.mediaKey] } : undefined,
      note_tweet: noteOf(post),
      possibly_sensitive: false,
      reply_settings: "everyone",
    },
    tweet,
  )
}

export const userJson = (account: Account, { user }: Selection): Record<string, unknown> => {
  const { id, name, username, createdAt, description, location, verified, followers, following } = account
  return picked(
    {
      id,
      name,
      username,
      created_at: new Date(createdAt).toISOString(),
      description,
      location: location === "" ? undefined : location,
      protected: false,
      verified: verified !== "none",
      verified_type: verified,
      url: "",
      profile_image_url: `https://pbs.twimg.com/profile_images/${id}/photo_normal.jpg`,
      public_metrics: {
        followers_count: followers,
        following_count: following,
        tweet_count: following * 17 + (followers % 997),
        listed_count: Math.floor(followers / 150),
        like_count: following * 5,
        media_count: following * 2,
      },
    },
    user,
  )
}

const mediaJson = (post: Post, { media }: Selection) =>
  picked(
    {
      media_key: post.mediaKey,
      type: "photo",
      url: `https://pbs.twimg.com/media/${post.mediaKey}.jpg`,
      width: 1200,
      height: 675,
      alt_text: "A chart",
    },
    media,
  )

const uniqueBy = <A>(list: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(list.map((item) => [keyOf(item), item])).values(),
]

const present = <A>(list: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  list.filter((each): each is A & {} => each !== undefined)

const peopleOf = (posts: ReadonlyArray<Post>, references: ReadonlyArray<Post>, wanted: ReadonlySet<string>) => [
  ...(wanted.has("author_id") ? posts.map(({ author }) => author) : []),
  ...(wanted.has("in_reply_to_user_id")
    ? posts.flatMap((post) => (post.kind === "reply" ? present([post.reference?.author]) : []))
    : []),
  ...(wanted.has("entities.mentions.username")
    ? present(posts.flatMap((post) => mentionedIn(shownText(post)).map(accountNamed)))
    : []),
  ...(wanted.has("referenced_tweets.id.author_id") ? references.map(({ author }) => author) : []),
]

/** What posts refer to, each once, as far as it was asked for; undefined when there is nothing. */
export const includesOf = (posts: ReadonlyArray<Post>, selection: Selection, now: Millis) => {
  const wanted = selection.expansions
  const references = present(posts.map(({ reference }) => reference))
  const isShown = [...wanted].some((each) => each.startsWith("referenced_tweets.id"))
  const pictured = [
    ...(wanted.has("attachments.media_keys") ? posts : []),
    ...(wanted.has("referenced_tweets.id.attachments.media_keys") ? references : []),
  ].filter(({ hasPhoto }) => hasPhoto)
  const all = {
    users: uniqueBy(peopleOf(posts, references, wanted), ({ id }) => id).map((person) => userJson(person, selection)),
    tweets: (isShown ? uniqueBy(references, ({ id }) => id) : []).map((post) => tweetJson(post, selection, now)),
    media: uniqueBy(pictured, ({ id }) => id).map((post) => mediaJson(post, selection)),
  }
  const filled = Object.entries(all).filter(([, list]) => list.length > 0)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}
