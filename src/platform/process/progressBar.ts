const width = 30

/** How far something is, from 0 to 1, as a bar and in percent. */
export const progressBar = (share: number): string => {
  const full = Math.floor(width * share)
  return `${"█".repeat(full)}${"░".repeat(width - full)}  ${Math.floor(100 * share)} %`
}

/** Writes over the line before; nothing but emptiness takes it away. */
export const overwriteLine = (text: string): void => void process.stderr.write(`\r\u001b[2K${text}`)
