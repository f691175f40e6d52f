export interface XUser {
  readonly id: string
  readonly name: string
  readonly username: string
}

/** A short link in a text and its target. */
export interface XLink {
  /** As it stands in the text. */
  readonly url: string
  readonly expandedUrl: string
  readonly displayUrl: string
  readonly title: string | undefined
  readonly description: string | undefined
  /** Where it ends after all redirects, when X followed them. */
  readonly unwoundUrl: string | undefined
  /** The largest picture of the page. */
  readonly imageUrl: string | undefined
  /** Of a picture or video that the link shows. */
  readonly mediaKey: string | undefined
}

export interface XMedia {
  readonly key: string
  readonly type: string
  /** The picture, or the still of a video. */
  readonly url: string | undefined
  readonly videoUrl: string | undefined
}

export interface XMetrics {
  readonly retweets: number
  readonly replies: number
  readonly likes: number
  readonly quotes: number
  readonly bookmarks: number
  readonly impressions: number
}

/** A long text that a post publishes. */
export interface XArticle {
  readonly title: string
  readonly previewText: string | undefined
  readonly plainText: string | undefined
  /** Of the cover. */
  readonly imageUrl: string | undefined
}

/** A post, with those that it refers to as far as they are known. */
export interface XPost {
  readonly id: string
  /** Milliseconds. */
  readonly at: number
  /** The whole text, without the escapes of the API, with short links. */
  readonly text: string
  readonly links: ReadonlyArray<XLink>
  readonly author: XUser
  readonly conversationId: string
  readonly metrics: XMetrics
  readonly media: ReadonlyArray<XMedia>
  readonly quoted: XPost | undefined
  readonly article: XArticle | undefined
}

export interface XPage {
  readonly posts: ReadonlyArray<XPost>
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined
  /** Posts that X counts as read, also those that only others refer to. */
  readonly read: number
}

export interface XSearch {
  readonly query: string
  readonly reach: "recent" | "all"
  /** Milliseconds. */
  readonly start: number | undefined
  /** Milliseconds, exclusive. */
  readonly end: number | undefined
  readonly max: number
  readonly next: string | undefined
}
