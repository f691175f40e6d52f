import { signal } from "@preact/signals"
import { CopyButton } from "../shared/ui/Copy.tsx"
import { Code } from "./Code.tsx"
import { type Language, languages, type SampleRequest } from "./samples.ts"

/** The same for all operations. */
const language = signal<Language>("curl")
const names = Object.keys(languages) as ReadonlyArray<Language>

const move = (event: KeyboardEvent) => {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const next = names[(names.indexOf(language.value) + step + names.length) % names.length]
  if (next === undefined) return
  language.value = next
  document.getElementById(`sample-tab-${next}`)?.focus()
}

/** The request in three languages. The key is a variable, never the key itself. */
export const Samples = ({ request }: { readonly request: SampleRequest }) => {
  const text = languages[language.value](request, location.origin)
  return (
    <section aria-label="Code">
      <div class="spread">
        <div role="tablist" aria-label="Language" class="docs-tabs" onKeyDown={move}>
          {names.map((name) => (
            <button
              key={name}
              id={`sample-tab-${name}`}
              type="button"
              role="tab"
              class="small outline"
              aria-selected={language.value === name}
              aria-controls="sample-code"
              tabIndex={language.value === name ? 0 : -1}
              onClick={() => (language.value = name)}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={text} />
      </div>
      <Code text={text} panel={{ id: "sample-code", "aria-labelledby": `sample-tab-${language.value}` }} />
    </section>
  )
}
