import { useState } from "preact/hooks"
import { Failure, request } from "../shared/request.ts"
import { Notice } from "../shared/ui/States.tsx"
import { headersWith, token } from "./token.ts"

/** Asks for the token of the console and checks it before it is kept. */
export const TokenForm = ({ failure: first }: { readonly failure: Failure }) => {
  const [failure, setFailure] = useState(first)
  const [isBusy, setBusy] = useState(false)
  const check = async (given: string) => {
    setBusy(true)
    try {
      await request("/ops/v1/overview", { headers: headersWith(given) })
      token.value = given
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <article>
      <h1>Console</h1>
      <Notice kind="error">
        <p>
          <strong>{failure.message}</strong> {failure.hint}
        </p>
      </Notice>
      <form
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get("token")
          if (typeof given === "string") void check(given.trim())
        }}
      >
        <label for="token">Token of the console</label>
        <div class="row">
          <input
            id="token"
            name="token"
            type="password"
            required
            maxLength={4096}
            spellcheck={false}
            autocomplete="off"
          />
          <button type="submit" aria-busy={isBusy}>
            Open the console
          </button>
        </div>
      </form>
      <p class="small muted">
        The token is the setting <code>CONSOLE_TOKEN</code>. It stays in this tab and is sent only to this service. On
        the machine itself, no token is needed.
      </p>
    </article>
  )
}

/** Forgets the token of this tab. */
export const ForgetTokenButton = () =>
  token.value === "" ? null : (
    <button type="button" class="small outline secondary" onClick={() => (token.value = "")}>
      Forget the token
    </button>
  )
