import { useState } from "preact/hooks"
import { CopyButton } from "../shared/ui/Copy.tsx"
import { Panel } from "./Page.tsx"
import { type Language, languages } from "./streamCode.ts"

/** The subscription as a program. */
export const Code = ({
  gateway,
  message,
}: {
  readonly gateway: string
  readonly message: Readonly<Record<string, unknown>>
}) => {
  const [language, setLanguage] = useState<Language>("TypeScript")
  const text = languages[language](gateway, message)
  return (
    <Panel
      title="Code"
      tools={
        <>
          <label class="inline">
            Language
            <select value={language} onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}>
              {Object.keys(languages).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <CopyButton text={text} />
        </>
      }
    >
      <section aria-label={`${language} code`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </section>
    </Panel>
  )
}
