import { useState } from "preact/hooks"
import { Failure } from "../../shared/request.ts"
import { CopyButton } from "../../shared/ui/Copy.tsx"
import { FailureNotice, Notice } from "../../shared/ui/States.tsx"
import { change } from "../token.ts"

export const plans = ["free", "starter", "growth", "pro", "enterprise"] as const

/** Creates an account with a key, which is shown once. */
export const CreateAccount = ({ onChange }: { readonly onChange: () => void }) => {
  const [failure, setFailure] = useState<Failure>()
  const [issued, setIssued] = useState<{ readonly name: string; readonly key: string }>()
  const [isBusy, setBusy] = useState(false)
  const create = async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const name = String(fields.get("name")).trim()
    setBusy(true)
    try {
      const { api_key: key } = await change<{ readonly api_key: string }>("/accounts", "POST", {
        name,
        plan: fields.get("plan"),
      })
      setFailure(undefined)
      setIssued({ name, key })
      form.reset()
      onChange()
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <article>
      <h2>Create an account</h2>
      <form
        class="row"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void create(event.currentTarget)
        }}
      >
        <label>
          Name
          <input name="name" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Plan
          <select name="plan">
            {plans.map((plan) => (
              <option key={plan} value={plan}>
                {plan}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" aria-busy={isBusy} disabled={isBusy}>
          Create
        </button>
      </form>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {issued !== undefined && (
        <Notice>
          <p>
            The key of {issued.name}, shown only now: <code>{issued.key}</code> <CopyButton text={issued.key} />
          </p>
          <button type="button" class="small outline secondary" onClick={() => setIssued(undefined)}>
            Hide the key
          </button>
        </Notice>
      )}
    </article>
  )
}
