import { useState } from "preact/hooks"
import { whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { type Ask, Tag, useAsk } from "../parts.tsx"
import type { Account } from "../shapes.ts"
import { change } from "../token.ts"
import { useOps } from "../useOps.ts"
import { AccountDialog } from "./AccountDialog.tsx"
import { CreateAccount } from "./CreateAccount.tsx"

const switchOf = ({ id, name, active, keys }: Account): Ask =>
  active
    ? {
        title: "Deactivate the account",
        text: `Its ${whole(keys)} keys are refused and its streams end, until it is activated again: ${name}`,
        action: "Deactivate",
        run: () => change(`/accounts/${id}`, "PATCH", { active: false }),
      }
    : {
        title: "Activate the account",
        text: `Its keys are accepted again: ${name}`,
        action: "Activate",
        run: () => change(`/accounts/${id}`, "PATCH", { active: true }),
      }

const columns = (edit: (account: Account) => void, ask: (asked: Ask) => void): ReadonlyArray<Column<Account>> => [
  { label: "Name", cell: ({ name, id }) => <span title={id}>{name}</span> },
  { label: "Plan", cell: ({ plan }) => plan },
  {
    label: "State",
    cell: ({ active }) => (active ? <Tag tone="up">active</Tag> : <Tag tone="down">inactive</Tag>),
  },
  { label: "Requests/min", isNumber: true, cell: (each) => whole(each.standard_per_minute) },
  { label: "Heavy/min", isNumber: true, cell: (each) => whole(each.heavy_per_minute) },
  {
    label: "Limits",
    cell: ({ own_limits: own }) =>
      own.standard_per_minute === null && own.heavy_per_minute === null ? "of the plan" : "own",
  },
  { label: "Keys", isNumber: true, cell: ({ keys }) => whole(keys) },
  { label: "Created", cell: ({ created_at }) => <Time at={created_at} style="day" /> },
  {
    label: "Actions",
    cell: (account) => (
      <div class="row">
        <button type="button" class="small outline" aria-label={`Change ${account.name}`} onClick={() => edit(account)}>
          Change
        </button>
        <button type="button" class="small outline secondary" onClick={() => ask(switchOf(account))}>
          {account.active ? "Deactivate" : "Activate"}
        </button>
      </div>
    ),
  },
]

/** Accounts: create, change, deactivate. */
export const Accounts = () => {
  const loaded = useOps<{ readonly accounts: ReadonlyArray<Account> }>("/accounts", 10_000)
  const [filter, setFilter] = useState("")
  const [edited, setEdited] = useState<Account>()
  const { ask, view } = useAsk(loaded.reload)
  const wanted = filter.trim().toLowerCase()
  return (
    <>
      <CreateAccount onChange={loaded.reload} />
      {view}
      <label for="filter">Find an account</label>
      <input
        id="filter"
        type="search"
        value={filter}
        placeholder="Name or id"
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <Show loaded={loaded}>
        {({ accounts }) => (
          <Table
            label="Accounts, newest first"
            columns={columns(setEdited, ask)}
            rows={accounts.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(wanted))}
            rowKey={({ id }) => id}
            empty="No account matches."
          />
        )}
      </Show>
      {edited !== undefined && (
        <AccountDialog account={edited} onChange={loaded.reload} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}
