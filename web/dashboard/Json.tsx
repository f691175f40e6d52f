import { CopyButton } from "../shared/ui/Copy.tsx"

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** JSON, indented, with a button that copies it as it was. */
export const Json = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <figure class="json">
    <figcaption class="spread">
      <span>{label}</span>
      <CopyButton text={text} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard */}
    <pre class="code" tabIndex={0}>
      {pretty(text)}
    </pre>
  </figure>
)
