import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { exactStage, type Stage } from "./question.ts"
import type { SearchKind } from "./SearchStore.ts"

/** A place in the order of all documents: the highest rank first, of equal ones the newest. */
interface RankPlace {
  readonly rank: number
  readonly id: number
}

export interface Hit extends RankPlace {
  readonly stage: number
}

/** A part of the documents in the order of their rank: the next ones behind a place, or all the rest. */
export interface Part {
  readonly from: RankPlace | undefined
  readonly isRest: boolean
}

export interface PlacedHit extends Hit {
  readonly part: Part
}

/** Stages that are read together. */
export interface StageGroup {
  /** The last one matches whatever another one matches. */
  readonly stages: ReadonlyArray<Stage>
  /** Matched by the groups before. */
  readonly except: string | undefined
  /** No more documents than this match. */
  readonly documents: number
}

interface HitRange {
  readonly kind: SearchKind
  readonly behind: PlacedHit | undefined
  readonly most: number
}

/** Up to here, all matches are read and compared, in a few milliseconds. */
const fewDocuments = 1_500
/** Documents in a part, where more match. */
const documentsPerPart = 1_000
/** With fewer matches in a part than this, the index finds the rest faster. */
const manyMatches = 25

const matching = (sql: SqlClient, { stages, except }: StageGroup) => {
  const widest = stages.at(-1)?.query ?? ""
  return sql.and([
    sql`vector @@ ${widest}::tsquery`,
    ...(except === undefined ? [] : [sql`not vector @@ ${except}::tsquery`]),
  ])
}

const stageIn = (sql: SqlClient, { stages }: StageGroup) => {
  const better = stages
    .slice(0, -1)
    .map(({ number, query }) => sql`when vector @@ ${query}::tsquery then ${number}::int`)
  const last = sql`${stages.at(-1)?.number ?? 0}::int`
  return better.length === 0 ? last : sql`case ${sql.join(" ", false)(better)} else ${last} end`
}

const rankedBehind = (sql: SqlClient, place: RankPlace | undefined) =>
  place === undefined ? sql`true` : sql`(rank, id) < (${place.rank}::int2, ${place.id}::int)`

const hitsBehind = (sql: SqlClient, hit: Hit | undefined) =>
  hit === undefined
    ? sql`true`
    : sql`(stage > ${hit.stage} or (stage = ${hit.stage} and (rank, id) < (${hit.rank}::int, ${hit.id}::int)))`

/** All matches behind a place. */
const readRest = (sql: SqlClient, { kind, behind, most }: HitRange, group: StageGroup, from: RankPlace | undefined) =>
  sql<Hit>`
    with hit as materialized (
      select ${stageIn(sql, group)} as stage, rank::int as rank, id from search_document
      where kind = ${kind} and ${matching(sql, group)} and ${rankedBehind(sql, from)})
    select stage, rank, id from hit where ${hitsBehind(sql, behind)}
    order by stage, rank desc, id desc limit ${most}`

interface ReadPart {
  readonly hits: ReadonlyArray<Hit>
  /** Undefined at the end of all documents. */
  readonly next: Part | undefined
}

interface PartRow {
  /** Null if there is no hit. */
  readonly stage: number | null
  readonly rank: number
  readonly id: number
  readonly matched: number
  readonly documents: number
  readonly end_rank: number
  readonly end_id: number
}

/** The matches among the next documents behind a place. */
const readPart = (sql: SqlClient, { kind, behind, most }: HitRange, group: StageGroup, from: RankPlace | undefined) =>
  Effect.map(
    sql<PartRow>`
      with document as materialized (
        select rank::int as rank, id, vector from search_document where kind = ${kind} and ${rankedBehind(sql, from)}
        order by search_document.rank desc, id desc limit ${documentsPerPart}),
      hit as materialized (
        select ${stageIn(sql, group)} as stage, rank, id from document where ${matching(sql, group)})
      select w.*, h.* from (
        select (select count(*) from hit)::int as matched, (select count(*) from document)::int as documents,
          rank as end_rank, id as end_id from document order by rank, id limit 1) w
      left join (
        select * from hit where ${hitsBehind(sql, behind)} order by stage, rank desc, id desc limit ${most}) h on true
      order by h.stage, h.rank desc, h.id desc`,
    (rows): ReadPart => {
      const [first] = rows
      return {
        hits: rows.flatMap(({ stage, rank, id }) => (stage === null ? [] : [{ stage, rank, id }])),
        next:
          first === undefined || first.documents < documentsPerPart
            ? undefined
            : { from: { rank: first.end_rank, id: first.end_id }, isRest: first.matched < manyMatches },
      }
    },
  )

/**
 * The best hits of a group behind a place. If many documents match, those of the highest rank are read first, a part at a
 * time, and put in order of their stages within the part; exact matches always come first.
 */
export const readHits = (
  sql: SqlClient,
  wanted: HitRange,
  group: StageGroup,
): Effect.Effect<ReadonlyArray<PlacedHit>, SqlError> =>
  Effect.gen(function* () {
    const [first] = group.stages
    if (group.documents === 0 || first === undefined) return []
    const found: Array<PlacedHit> = []
    // Of the first read only: what follows it is behind the place anyway.
    let behind = wanted.behind !== undefined && wanted.behind.stage >= first.number ? wanted.behind : undefined
    let part: Part | undefined = behind?.part ?? { from: undefined, isRest: group.documents <= fewDocuments }
    const here = (): HitRange => ({ ...wanted, behind, most: wanted.most - found.length })
    const add = (hits: ReadonlyArray<Hit>, of: Part) => {
      for (const hit of hits) found.push({ ...hit, part: of })
      behind = undefined
    }

    const isWhole = part.isRest && part.from === undefined
    const hasExact = first.number === exactStage && !isWhole
    if (hasExact && (behind === undefined || behind.stage === exactStage))
      add(yield* readRest(sql, here(), { ...group, stages: [first] }, undefined), part)
    const others = hasExact ? { ...group, stages: group.stages.slice(1), except: first.query } : group
    while (part !== undefined && found.length < wanted.most) {
      const of: Part = part
      const { hits, next }: ReadPart = of.isRest
        ? { hits: yield* readRest(sql, here(), others, of.from), next: undefined }
        : yield* readPart(sql, here(), others, of.from)
      add(hits, of)
      part = next
    }
    return found
  })
