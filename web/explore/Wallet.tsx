import { CopyButton } from "../shared/ui/Copy.tsx"
import { Notice } from "../shared/ui/States.tsx"
import { isAddress } from "./address.ts"
import { useTitle } from "./useTitle.ts"
import { WalletForm } from "./Wallets.tsx"
import { PnlCurve } from "./wallet/PnlCurve.tsx"
import { Positions } from "./wallet/Positions.tsx"
import { Score } from "./wallet/Score.tsx"
import { Summary } from "./wallet/Summary.tsx"
import { WalletTrades } from "./wallet/WalletTrades.tsx"

const Malformed = ({ given }: { readonly given: string }) => (
  <>
    <h1>Wallet</h1>
    <Notice kind="error">
      <p>
        <strong>“{given}” is no wallet address.</strong> An address is 0x and 40 hexadecimal digits. The form below also
        finds users by name.
      </p>
    </Notice>
    <WalletForm initial={given} />
  </>
)

export const Wallet = ({ address }: { readonly address: string }) => {
  useTitle(`Wallet ${address}`)
  if (!isAddress(address)) return <Malformed given={address} />
  const wallet = address.toLowerCase()
  return (
    <div key={wallet}>
      <div class="spread">
        <h1 class="figures break">{wallet}</h1>
        <CopyButton text={wallet} label="Copy address" />
      </div>
      <Summary wallet={wallet} />
      <div class="columns">
        <PnlCurve wallet={wallet} />
        <Score wallet={wallet} />
      </div>
      <Positions wallet={wallet} />
      <WalletTrades wallet={wallet} />
    </div>
  )
}
