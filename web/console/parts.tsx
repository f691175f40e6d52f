import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Failure } from "../shared/request.ts"
import { Chart } from "../shared/ui/Chart.tsx"
import { Confirm } from "../shared/ui/Dialog.tsx"
import { Empty, FailureNotice } from "../shared/ui/States.tsx"
import type { Series } from "./series.ts"

/** A state, in a word and a colour. */
export const Tag = ({ tone, children }: { readonly tone: string; readonly children: ComponentChildren }) => (
  <span class={`tag ${tone}`}>{children}</span>
)

/** A chart over the last hour. */
export const HourChart = ({
  title,
  series,
  format,
}: {
  readonly title: string
  readonly series: Series
  readonly format: (value: number) => string
}) => (
  <article>
    <h3>{title}</h3>
    {series.xs.length < 2 ? (
      <Empty>Processes report every 10 s; a chart needs two reports.</Empty>
    ) : (
      <Chart xs={series.xs} lines={series.lines} format={format} height={180} summary={`${title}, last hour`} />
    )}
  </article>
)

export interface Ask {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly run: () => Promise<unknown>
}

/** Asks before a change, sends it, and shows why it failed. */
export const useAsk = (onDone: () => void) => {
  const [asked, setAsked] = useState<Ask>()
  const [failure, setFailure] = useState<Failure>()
  const confirm = async ({ run }: Ask) => {
    setAsked(undefined)
    try {
      await run()
      setFailure(undefined)
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    }
    onDone()
  }
  const view = (
    <>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {asked !== undefined && (
        <Confirm
          title={asked.title}
          action={asked.action}
          onConfirm={() => void confirm(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.text}</p>
        </Confirm>
      )}
    </>
  )
  return { ask: setAsked, view }
}
