import { useEffect, useState } from "preact/hooks"

/** Without a secure context there is no clipboard; the text is selected instead. */
const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

export const CopyButton = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [result, setResult] = useState<"" | "Copied" | "Select and copy by hand">("")
  useEffect(() => {
    if (result === "") return
    const timer = setTimeout(() => setResult(""), 2000)
    return () => clearTimeout(timer)
  }, [result])
  return (
    <button
      type="button"
      class="small outline"
      onClick={async () => setResult((await copy(text)) ? "Copied" : "Select and copy by hand")}
    >
      <span aria-live="polite">{result === "" ? label : result}</span>
    </button>
  )
}

/** The REST request behind a view, ready to copy. The key is a variable, never the key itself. */
export const RequestLine = ({ path, method = "GET" }: { readonly path: string; readonly method?: string }) => {
  const curl = `curl -H "x-api-key: $PRESAGE_KEY" ${method === "GET" ? "" : `-X ${method} `}'${location.origin}${path}'`
  return (
    <p class="spread small muted request">
      <code>
        {method} {path}
      </code>
      <CopyButton text={curl} label="Copy as curl" />
    </p>
  )
}
