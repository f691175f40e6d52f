import { cents, usd } from "../../shared/format.ts"
import { Time } from "../../shared/ui/Time.tsx"
import { SideTag, TransactionLink, WalletLink } from "../links.tsx"
import type { Fill } from "./liveState.ts"

const Market = ({ fill }: { readonly fill: Fill }) => (
  <>
    {fill.slug === undefined ? fill.title : <a href={`/explore/markets/${fill.slug}`}>{fill.title}</a>}{" "}
    <span class="muted">{fill.outcome}</span>
    {fill.isPending && <span class="muted"> (pending)</span>}
  </>
)

/** Fills, the newest first. */
export const Fills = ({ fills }: { readonly fills: ReadonlyArray<Fill> }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard
  <section class="table-frame" aria-label="Fills" tabIndex={0}>
    <table class="fills">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Market</th>
          <th scope="col">Side</th>
          <th scope="col" class="number">
            Price
          </th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col">Wallet</th>
          <th scope="col">Transaction</th>
        </tr>
      </thead>
      <tbody id="fills">
        {fills.map((fill) => (
          <tr key={fill.id} data-fill={fill.id} data-usd={fill.price * fill.shares}>
            <td class="nowrap">
              <Time at={fill.at} style="clock" />
            </td>
            <td class="words">
              <Market fill={fill} />
            </td>
            <td>
              <SideTag side={fill.side} />
            </td>
            <td class="number">{cents(fill.price)}</td>
            <td class="number">{usd(fill.price * fill.shares)}</td>
            <td>{fill.wallet === undefined ? "–" : <WalletLink address={fill.wallet} />}</td>
            <td>
              <TransactionLink hash={fill.transaction} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
