import { useEffect, useState } from "preact/hooks"
import { bytes, duration } from "../shared/format.ts"
import { key } from "../shared/key.ts"
import { Notice } from "../shared/ui/States.tsx"
import { type Attempt, attempt, mostShown } from "./attempt.ts"
import { Code } from "./Code.tsx"
import type { SampleRequest } from "./samples.ts"

const Answer = ({ answer, name }: { readonly answer: Attempt; readonly name: string }) => {
  const [link, setLink] = useState("")
  useEffect(() => {
    const made = URL.createObjectURL(answer.blob)
    setLink(made)
    return () => URL.revokeObjectURL(made)
  }, [answer])
  const ending = answer.contentType.includes("json") ? "json" : "txt"
  return (
    <section aria-label="Answer">
      {answer.error !== undefined && (
        <Notice kind="error">
          <p>
            <strong>{answer.error}</strong> {answer.hint}
          </p>
        </Notice>
      )}
      <p class="spread small">
        <span>
          Status <strong>{answer.status}</strong> · {bytes(answer.size)} · {duration(answer.millis)}
        </span>
        <a href={link} download={`${name}.${ending}`}>
          Download the answer
        </a>
      </p>
      {answer.isCut && (
        <Notice kind="caution">
          <p>
            The answer has {bytes(answer.size)}; the first {bytes(mostShown)} are shown. Download it to see the rest.
          </p>
        </Notice>
      )}
      <Code class="docs-answer" text={answer.text} />
    </section>
  )
}

/** Sends the request of the form and shows the answer. */
export const TryIt = ({ request, name }: { readonly request: SampleRequest; readonly name: string }) => {
  const [answer, setAnswer] = useState<Attempt>()
  const [failure, setFailure] = useState("")
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    setAnswer(undefined)
    setFailure("")
  }, [name])
  const send = async () => {
    setBusy(true)
    setFailure("")
    try {
      setAnswer(await attempt(request))
    } catch {
      setAnswer(undefined)
      setFailure("The service does not answer. It may be restarting: try again.")
    } finally {
      setBusy(false)
    }
  }
  const isChange = request.method !== "GET"
  return (
    <>
      <div class="row">
        <button type="button" aria-busy={isBusy} disabled={isBusy} onClick={() => void send()}>
          Send the request
        </button>
        <span class="small muted">
          {key.value === "" ? "Without a key: enter one above." : "With the key of this tab."}
          {isChange && " This changes your account."}
        </span>
      </div>
      <div aria-live="polite">
        {failure !== "" && (
          <Notice kind="error">
            <p>{failure}</p>
          </Notice>
        )}
        {answer !== undefined && <Answer answer={answer} name={name} />}
      </div>
    </>
  )
}
