import { cents, decimal, usd, whole } from "../../shared/format.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { Table } from "../../shared/ui/Table.tsx"
import { useRequest } from "../../shared/useRequest.ts"
import { WalletLink } from "../links.tsx"

interface Holder {
  readonly token_id: string
  readonly outcome: string | null
  readonly rank: number
  readonly wallet: string
  readonly shares: number
  readonly value: number | null
  readonly price: number | null
}

export const Holders = ({ condition }: { readonly condition: string }) => {
  const path = `/v3/markets/condition/${condition}/holders?limit=8`
  const loaded = useRequest<{ readonly data: ReadonlyArray<Holder> }>(path)
  return (
    <section>
      <h2 id="holders-title">Largest holders</h2>
      <Show loaded={loaded}>
        {({ data }) => (
          <Table
            label="Largest holders"
            rows={data}
            rowKey={({ token_id, wallet }) => `${token_id}:${wallet}`}
            empty="Nobody holds shares."
            columns={[
              { label: "Outcome", cell: ({ outcome }) => outcome ?? "–" },
              { label: "Rank", isNumber: true, cell: ({ rank }) => whole(rank) },
              { label: "Wallet", cell: ({ wallet }) => <WalletLink address={wallet} /> },
              { label: "Shares", isNumber: true, cell: ({ shares }) => decimal(shares) },
              { label: "Price", isNumber: true, cell: ({ price }) => cents(price) },
              { label: "Value", isNumber: true, cell: ({ value }) => usd(value) },
            ]}
          />
        )}
      </Show>
      <RequestLine path={path} />
    </section>
  )
}
