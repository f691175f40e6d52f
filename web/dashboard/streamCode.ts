type Json = Readonly<Record<string, unknown>>

/** Programs that subscribe. The key is read from the environment, never written into them. */

const typescript = (gateway: string, message: Json) => `// Node 22 or later; no package is needed.
const socket = new WebSocket("${gateway}", ["presage", \`presage-key.\${process.env.PRESAGE_KEY}\`])

socket.addEventListener("open", () => {
  socket.send(JSON.stringify(${JSON.stringify(message, null, 2).replaceAll("\n", "\n  ")}))
})
socket.addEventListener("message", ({ data }) => {
  const frame = JSON.parse(String(data))
  console.log(frame.type, frame)
})
socket.addEventListener("close", ({ code }) => console.log("closed", code))
`

/** JSON and Python differ in three words. */
const pythonOf = (message: Json) =>
  JSON.stringify(message, null, 4).replaceAll(
    /: (true|false|null)\b/g,
    (_, word: string) => `: ${{ true: "True", false: "False", null: "None" }[word] ?? word}`,
  )

const python = (gateway: string, message: Json) => `# pip install websockets
import asyncio
import json
import os

from websockets.asyncio.client import connect

SUBSCRIBE = ${pythonOf(message)}


async def main():
    headers = {"x-api-key": os.environ["PRESAGE_KEY"]}
    async with connect("${gateway}", additional_headers=headers) as socket:
        await socket.send(json.dumps(SUBSCRIBE))
        async for text in socket:
            frame = json.loads(text)
            print(frame["type"], frame)


asyncio.run(main())
`

/** curl 8.16 and later send what they read as WebSocket messages. */
const curl = (gateway: string, message: Json) => `# curl 8.16 or later, built with WebSocket support
(echo '${JSON.stringify(message).replaceAll("'", "'\\''")}'; sleep 3600) |
  curl --no-buffer --upload-file . -H "x-api-key: $PRESAGE_KEY" "${gateway}"
`

export const languages = { curl, TypeScript: typescript, Python: python } as const
export type Language = keyof typeof languages
