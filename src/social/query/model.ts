/** Why a query cannot be asked, for the one who wrote it. */
export class QueryError {
  readonly problem: string
  readonly hint: string | undefined

  constructor(problem: string, hint?: string) {
    this.problem = problem
    this.hint = hint
  }
}

export type Count = "likes" | "retweets" | "replies"

/** A bound of a count, which X does not filter by. */
export interface CountBound {
  readonly count: Count
  readonly value: number
  /** Whether the count has to be lower. */
  readonly isBelow: boolean
}

/** A query in the terms of X API v2, and what has to be done beside it. */
export interface SocialQuery {
  /** What X is asked. */
  readonly query: string
  /** Milliseconds: not before. */
  readonly since: number | undefined
  /** Milliseconds: before. */
  readonly until: number | undefined
  readonly bounds: ReadonlyArray<CountBound>
}
