import { Effect, Schema } from "effect"
import { type BuilderSort, builderSorts } from "#src/builders/model.ts"
import { BadInput } from "../server/errors.ts"

const sorts = Schema.Literals(builderSorts)

export const sortParameters = {
  sort: Schema.optionalKey(sorts.annotate({ description: `${builderSorts.join(", ")}; fills by default` })),
  sort_by: Schema.optionalKey(sorts.annotate({ description: "another name of `sort`" })),
}

interface Given {
  readonly sort?: BuilderSort
  readonly sort_by?: BuilderSort
}

/** Either name gives the same question, so that a cursor of one also belongs to the other. */
export const readSort = <A extends Given>({ sort, sort_by, ...rest }: A) =>
  sort !== undefined && sort_by !== undefined && sort !== sort_by
    ? Effect.fail(
        new BadInput({
          error: `\`sort\` is ${sort}, but \`sort_by\` is ${sort_by}.`,
          param: "sort_by",
          hint: "Both names mean the same; omit one.",
        }),
      )
    : Effect.succeed({ ...rest, sort: sort ?? sort_by ?? "fills" })
