import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { Failure, request } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { FailureNotice } from "../shared/ui/States.tsx"
import { isAddress } from "./address.ts"
import { useTitle } from "./useTitle.ts"

const resolvePath = (name: string) => `/v1/resolve/${encodeURIComponent(name)}`

/** Opens a wallet by its address, or by the name of its user. */
export const WalletForm = ({ initial = "" }: { readonly initial?: string }) => {
  const { route } = useLocation()
  const [typed, setTyped] = useState(initial)
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const open = async (given: string) => {
    setFailure(undefined)
    if (isAddress(given)) return route(`/explore/wallets/${given.toLowerCase()}`)
    setBusy(true)
    try {
      const { safe } = await request<{ readonly safe: string }>(resolvePath(given))
      route(`/explore/wallets/${safe}`)
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    } finally {
      setBusy(false)
    }
  }
  const name = typed.trim()
  return (
    <search>
      <form
        class="row filters"
        onSubmit={(event) => {
          event.preventDefault()
          if (name !== "") void open(name)
        }}
      >
        <label class="wide">
          Wallet or user
          <input
            name="wallet"
            required
            maxLength={100}
            spellcheck={false}
            autocomplete="off"
            placeholder="0x… or @name"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" aria-busy={isBusy}>
          Open
        </button>
      </form>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {name !== "" && !isAddress(name) && <RequestLine path={resolvePath(name)} />}
    </search>
  )
}

export const Wallets = () => {
  useTitle("Wallets")
  return (
    <>
      <h1>Wallets</h1>
      <p>
        What a wallet holds, traded and earned. The <a href="/explore/leaderboards">leaderboards</a> list the most
        successful ones.
      </p>
      <WalletForm />
    </>
  )
}
