import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { decimal, shortHash, signClass, unknown, usd, whole } from "../shared/format.ts"
import { request } from "../shared/request.ts"
import { CopyButton, RequestLine } from "../shared/ui/Copy.tsx"
import { Sparkline } from "../shared/ui/Sparkline.tsx"
import { FailureNotice, Notice, Show } from "../shared/ui/States.tsx"
import { type Column, Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useAction } from "../shared/useAction.ts"
import { useRequest } from "../shared/useRequest.ts"
import { curveOf, type Score, type ScoredWallet, type Snapshot } from "./copyScores.ts"
import { Page, Panel } from "./Page.tsx"

const path = "/v2/copy-pnl/snapshot"

const Amount = ({ value }: { readonly value: number }) => <span class={signClass(value)}>{usd(value)}</span>

const Marks = ({ score, error }: { readonly score: Score | null | undefined; readonly error: string | undefined }) => {
  if (error !== undefined) return <span class="tag down">failed: {error}</span>
  if (score === null || score === undefined) return <span class="muted">scoring…</span>
  return (
    <>
      {score.toxic_for_copying ? <span class="tag down">toxic</span> : <span class="muted">not toxic</span>}{" "}
      {score.partial && <span class="tag caution">partial</span>}
    </>
  )
}

const columnsFor = (period: string, onRemove: (wallet: string) => void): ReadonlyArray<Column<ScoredWallet>> => {
  const figure = (label: string, show: (score: Score) => ComponentChildren) => ({
    label,
    isNumber: true,
    cell: ({ periods }: ScoredWallet) => {
      const score = periods[period]
      return score === null || score === undefined ? unknown : show(score)
    },
  })
  return [
    {
      label: "Wallet",
      cell: ({ wallet }) => (
        <span class="actions">
          <a href={`/explore/wallets/${wallet}`} title={wallet}>
            <code>{shortHash(wallet)}</code>
          </a>
          <CopyButton text={wallet} />
        </span>
      ),
    },
    {
      label: "180 days",
      cell: (row) => {
        const curve = curveOf(row)
        return curve.length === 0 ? (
          unknown
        ) : (
          <Sparkline zero points={curve} label={`Copy P&L over 180 days, now ${usd(curve.at(-1)?.[1])}`} />
        )
      },
    },
    figure("Copy P&L", (score) => <Amount value={score.backtest_copy_pnl_usdc} />),
    figure("Own P&L", (score) => <Amount value={score.actual_pnl_usdc} />),
    figure("Cost of copying", ({ slippage_cost_rate_pct: rate }) =>
      rate === null ? unknown : `${decimal(rate, 1)} %`,
    ),
    figure("Trades", (score) => whole(score.trade_count)),
    { label: "Mark", cell: ({ periods, error }) => <Marks score={periods[period]} error={error?.error} /> },
    { label: "Scored", cell: ({ periods }) => <Time at={periods[period]?.computed_at} /> },
    {
      label: "Actions",
      cell: ({ wallet }) => (
        <button
          type="button"
          class="small outline"
          aria-label={`Remove ${shortHash(wallet)}`}
          onClick={() => onRemove(wallet)}
        >
          Remove
        </button>
      ),
    },
  ]
}

interface Added {
  readonly added: number
  readonly already_tracked: number
  readonly total: number
  readonly max: number
}

export const CopyPool = () => {
  const loaded = useRequest<Snapshot>(path, { everyMillis: 10_000 })
  const [period, setPeriod] = useState("30d")
  const [text, setText] = useState("")
  const [said, setSaid] = useState("")
  const { failure, isBusy, run } = useAction()
  const change = (method: "POST" | "DELETE", addresses: ReadonlyArray<string>, say: (answer: Added) => string) =>
    run(async () => {
      setSaid("")
      setSaid(say(await request<Added>("/v2/copy-pnl/wallets", { method, body: { addresses } })))
      setText("")
      loaded.reload()
    })
  const add = () =>
    change(
      "POST",
      text.split(/[\s,]+/).filter(Boolean),
      ({ added, already_tracked, total, max }) =>
        `${whole(added)} added, ${whole(already_tracked)} already there: ${whole(total)} of ${whole(max)}. New wallets are scored within half a minute.`,
    )
  const remove = (wallet: string) => change("DELETE", [wallet], () => `${shortHash(wallet)} is removed.`)
  return (
    <Page title="Copy pool">
      <Panel title="Add wallets">
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <label class="grow">
            Addresses
            <textarea
              required
              rows={2}
              spellcheck={false}
              placeholder="0x…, one per line"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <button type="submit" aria-busy={isBusy}>
            Add
          </button>
        </form>
      </Panel>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {said !== "" && <Notice>{said}</Notice>}
      <Show loaded={loaded}>
        {({ wallets, periods }) => (
          <Panel
            title={`Wallets (${whole(wallets.length)})`}
            tools={
              <label class="inline">
                Period
                <select value={period} onChange={({ currentTarget }) => setPeriod(currentTarget.value)}>
                  {periods.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </label>
            }
          >
            <Table
              label="Wallets of the pool"
              rows={wallets}
              rowKey={(row) => row.wallet}
              empty="No wallets yet. Add those whose trades you would copy."
              columns={columnsFor(period, (wallet) => void remove(wallet))}
            />
          </Panel>
        )}
      </Show>
      <p class="small muted">
        A copier buys 2 % higher and sells 2 % lower. Toxic: that costs more than 15 % of the wallet's own result.
      </p>
      <RequestLine path={path} />
    </Page>
  )
}
