import { z } from "zod";
import type { ApiEnvironment, ChannelApi, MediaReference, OutgoingFile, SentMessage } from "../channel.ts";
import { callForFile, callPlatform, type PlatformCall, unreachable } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { isFileAddress, LABEL, type SlackMethod } from "./call.ts";

const UPLOAD_TIMEOUT_MS = 60_000;

const upload = z.looseObject({ upload_url: z.string(), file_id: z.string() });

/** Uploads a file, and only then shares it: a failure before leaves nothing to see. Slack names no message. */
export async function sendFileToSlack(
  method: SlackMethod,
  environment: ApiEnvironment,
  { filename, bytes, place }: OutgoingFile,
): Promise<SentMessage> {
  const { upload_url: address, file_id: id } = await method(
    "files.getUploadURLExternal",
    { filename, length: bytes.length },
    upload,
  );
  const url = URL.parse(address);
  const call: PlatformCall = {
    fetch: environment.fetch,
    label: LABEL,
    url: address,
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  };
  if (url === null || !isFileAddress(url, environment)) {
    throw unreachable(call, "named an address for the file that is not its own");
  }
  const { status } = await callPlatform(call);
  if (status !== 200) throw unreachable(call, `did not take the file, with status ${status}`);
  await method(
    "files.completeUploadExternal",
    { files: [{ id, title: filename }], channel_id: place.chatId, thread_ts: place.threadId },
    z.looseObject({}),
    { isSend: true },
  );
  return { messageId: undefined };
}

/**
 * Fetches a file with the bot's token, from Slack's own host or from where the API is: a message could name any address.
 * A redirect is not followed, so that the token goes nowhere else.
 */
export async function downloadFromSlack(
  token: string,
  environment: ApiEnvironment,
  media: MediaReference,
  maxBytes: number,
): ReturnType<NonNullable<ChannelApi["download"]>> {
  const url = URL.parse(media.reference);
  if (url === null || !isFileAddress(url, environment)) {
    throw new PlatformFailure("refused", "The file is not at an address of Slack's.");
  }
  const call: PlatformCall = {
    fetch: environment.fetch,
    label: LABEL,
    url: url.href,
    method: "GET",
    headers: { authorization: `Bearer ${token}` },
  };
  const { status, headers, bytes } = await callForFile(call, maxBytes);
  if (status === 429 || status >= 500) throw unreachable(call, `failed with status ${status}`);
  const mimeType = headers.get("content-type") ?? "application/octet-stream";
  if (isLogin(status, headers, mimeType)) {
    throw new PlatformFailure(
      "refused",
      "Slack does not let the app read files: give it the scope files:read and install it again.",
    );
  }
  if (status !== 200) throw new PlatformFailure("refused", "Slack does not have the file any more.");
  return { bytes, mimeType: media.mimeType ?? mimeType };
}

/** Without the scope Slack returns its login page with status 200, or leads to it. A file that is a page is an attachment. */
function isLogin(status: number, headers: Headers, mimeType: string): boolean {
  if (status >= 300) return status < 400 || status === 401 || status === 403;
  return mimeType.startsWith("text/html") && !headers.get("content-disposition")?.startsWith("attachment");
}
