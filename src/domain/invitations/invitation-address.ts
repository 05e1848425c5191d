/** Where the console lives; the service itself where it has no address of its own. */
export interface LinkConfig {
  APP_BASE_URL?: string | undefined;
  PUBLIC_URL: string;
}

/** The page on which an invitation is accepted. Whoever has the address may: it is shown to the inviter and mailed. */
export function addressOfInvitation(config: LinkConfig, token: string): string {
  const base = config.APP_BASE_URL ?? config.PUBLIC_URL;
  return `${base.replace(/\/+$/u, "")}/invite/${token}`;
}
