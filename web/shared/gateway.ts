/** The address of the WebSocket gateway, as the service wrote it into the page. */
export const gatewayUrl = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="presage-gateway"]')?.content ?? ""
