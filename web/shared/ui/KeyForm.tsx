import { useState } from "preact/hooks"
import { key } from "../key.ts"
import { Failure, request } from "../request.ts"
import { FailureNotice } from "./States.tsx"

/** Asks for an API key and checks it before it is kept. */
export const KeyForm = ({ why }: { readonly why: string }) => {
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const check = async (given: string) => {
    setBusy(true)
    try {
      await request("/v1/usage", { headers: { "x-api-key": given } })
      key.value = given
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <article>
      <h1>Sign in with an API key</h1>
      <p>{why} The key stays in this tab and is sent only to this service.</p>
      <form
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get("key")
          if (typeof given === "string") void check(given.trim())
        }}
      >
        <label for="key">API key</label>
        <div class="row">
          <input
            id="key"
            name="key"
            type="password"
            required
            maxLength={200}
            spellcheck={false}
            autocomplete="off"
            style={{ flex: "1 1 16rem" }}
          />
          <button type="submit" aria-busy={isBusy}>
            Sign in
          </button>
        </div>
      </form>
      {failure !== undefined && <FailureNotice failure={failure} />}
      <p class="small muted">
        <code>npm start</code> printed one at setup; <code>POST /v1/keys</code> creates a free one, once a day.
      </p>
    </article>
  )
}

/** Forgets the key of this tab. */
export const SignOutButton = () =>
  key.value === "" ? null : (
    <button type="button" class="small outline secondary" onClick={() => (key.value = "")}>
      Use another key
    </button>
  )
