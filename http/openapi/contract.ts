import { withPlainNames, withSharedResponses } from "./names.ts"
import { describedParameters, type Group } from "./parameters.ts"
import { withKeys } from "./transforms.ts"
import { withExamples } from "./withExamples.ts"
import { withWebhooks } from "./withWebhooks.ts"

type Document = Readonly<Record<string, unknown>>

/** Adds to the generated document what the schemas cannot say. */
export const contract = (document: Document, groups: Iterable<Group>): Record<string, unknown> => {
  const steps: ReadonlyArray<(document: Document) => Document> = [
    withKeys,
    withWebhooks,
    (before) => describedParameters(before, groups),
    withPlainNames,
    withSharedResponses,
    withExamples,
  ]
  return steps.reduce((before, step) => step(before), document)
}
