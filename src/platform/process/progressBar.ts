const width = 30

/** Progress from 0 to 1, as a bar and in percent. */
export const progressBar = (share: number): string => {
  const full = Math.floor(width * share)
  return `${"█".repeat(full)}${"░".repeat(width - full)}  ${Math.floor(100 * share)} %`
}

/** Replaces the current terminal line; an empty text clears it. */
export const overwriteLine = (text: string): void => void process.stderr.write(`\r\u001b[2K${text}`)
