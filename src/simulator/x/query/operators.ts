import { type Account, accountById, accountByUsername } from "../accounts.ts"
import type { Post } from "../Post.ts"
import { invalid } from "../problems.ts"

export type PostFilter = (post: Post) => boolean

/** A part of a query. */
export interface Clause {
  readonly test: PostFilter
  /** Whether a query may consist of it alone. */
  readonly standsAlone: boolean
  /** Whether it reads the text. Such clauses are evaluated last. */
  readonly needsText: boolean
}

const has: Readonly<Record<string, PostFilter>> = {
  links: ({ links }) => links.length > 0,
  images: (post) => photoOf(post),
  media: (post) => photoOf(post),
  mentions: ({ normalized }) => /@\w/.test(normalized),
  hashtags: ({ normalized }) => /#[\p{L}\p{N}]/u.test(normalized),
}

const photoOf = (post: Post): boolean => (post.kind === "retweet" ? (post.reference?.hasPhoto ?? false) : post.hasPhoto)

const is: Readonly<Record<string, PostFilter>> = {
  retweet: ({ kind }) => kind === "retweet",
  reply: ({ kind }) => kind === "reply",
  quote: ({ kind }) => kind === "quote",
  verified: ({ author }) => author.verified !== "none",
}

const invalidOperator = (query: string, name: string, at: number) =>
  invalid(
    { query: [query] },
    `There were errors processing your request: Reference to invalid operator '${name}'. Operator is not available in current product or product packaging. Please refer to complete available operator list at https://docs.x.com/x-api/posts/search/integrate/operators. (at position ${at + 1})`,
  )

const wrongValue = (query: string, name: string, value: string, at: number) =>
  invalid(
    { query: [query] },
    `There were errors processing your request: Invalid value '${value}' for operator '${name}' (at position ${at + 1})`,
  )

/** An unknown account matches nothing. Undefined for an invalid name. */
const accountFilter = (value: string, of: (post: Post) => Account | undefined): PostFilter | undefined => {
  const name = value.replace(/^@/, "")
  if (!/^\w{1,20}$/.test(name)) return undefined
  const account = accountByUsername(name) ?? accountById(name)
  return account === undefined ? () => false : (post) => of(post) === account
}

interface Operator {
  readonly standsAlone: boolean
  readonly needsText: boolean
  /** Undefined for an invalid value. */
  readonly filterOf: (value: string) => PostFilter | undefined
}

const ownEntry = (table: Readonly<Record<string, PostFilter>>, value: string) =>
  Object.hasOwn(table, value) ? table[value] : undefined

const operators: Readonly<Record<string, Operator>> = {
  from: { standsAlone: true, needsText: false, filterOf: (value) => accountFilter(value, ({ author }) => author) },
  to: {
    standsAlone: true,
    needsText: false,
    filterOf: (value) => accountFilter(value, (post) => (post.kind === "reply" ? post.reference?.author : undefined)),
  },
  retweets_of: {
    standsAlone: true,
    needsText: false,
    filterOf: (value) => accountFilter(value, (post) => (post.kind === "retweet" ? post.reference?.author : undefined)),
  },
  conversation_id: {
    standsAlone: true,
    needsText: false,
    filterOf: (value) => (/^\d{1,19}$/.test(value) ? (post) => post.conversationId === value : undefined),
  },
  url: {
    standsAlone: true,
    needsText: true,
    filterOf: (value) => {
      const text = value.toLowerCase()
      return ({ links }) =>
        links.some(({ url, expanded }) => [url, expanded].some((each) => each.toLowerCase().includes(text)))
    },
  },
  lang: {
    standsAlone: false,
    needsText: false,
    filterOf: (value) => (/^[a-z]{2,3}$/.test(value) ? ({ lang }) => lang === value : undefined),
  },
  has: { standsAlone: false, needsText: true, filterOf: (value) => ownEntry(has, value) },
  is: { standsAlone: false, needsText: false, filterOf: (value) => ownEntry(is, value) },
}

export const operatorClause = (query: string, name: string, value: string, at: number): Clause => {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined) throw invalidOperator(query, name, at)
  const test = operator.filterOf(value)
  if (test === undefined) throw wrongValue(query, name, value, at)
  return { test, standsAlone: operator.standsAlone, needsText: operator.needsText }
}
