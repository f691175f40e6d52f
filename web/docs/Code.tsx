/** Text that may scroll; the keyboard can reach it for that. */
export const Code = ({
  text,
  class: name = "",
  panel,
}: {
  readonly text: string
  readonly class?: string
  /** The panel of a tab. */
  readonly panel?: { readonly id: string; readonly "aria-labelledby": string }
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <pre class={`code ${name}`} tabIndex={0} {...(panel === undefined ? {} : { role: "tabpanel" as const, ...panel })}>
    <code>{text}</code>
  </pre>
)
