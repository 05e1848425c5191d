import type { ApiEnvironment, ChannelApi, MediaReference } from "../channel.ts";
import { callForFile, type PlatformCall, unreachable } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { USER_AGENT } from "./call.ts";

const HOSTS: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

/**
 * Fetches a file from Discord's own hosts, or from where the API is: a message could name any address. It takes no token,
 * because the address is signed.
 */
export async function downloadFromDiscord(
  { baseUrls, fetch }: ApiEnvironment,
  media: MediaReference,
  maxBytes: number,
): ReturnType<NonNullable<ChannelApi["download"]>> {
  const url = URL.parse(media.reference);
  const isDiscord = url?.protocol === "https:" && HOSTS.has(url.host);
  if (url === null || !(isDiscord || url.origin === new URL(baseUrls.discord).origin)) {
    throw new PlatformFailure("refused", "The file is not at an address of Discord's.");
  }
  const call: PlatformCall = {
    fetch,
    label: "Discord",
    url: url.href,
    method: "GET",
    headers: { "user-agent": USER_AGENT },
  };
  const { status, headers, bytes } = await callForFile(call, maxBytes);
  if (status === 200) {
    return { bytes, mimeType: media.mimeType ?? headers.get("content-type") ?? "application/octet-stream" };
  }
  if (status === 429 || status >= 500) throw unreachable(call, `failed with status ${status}`);
  throw new PlatformFailure("refused", "Discord does not have the file any more.");
}
