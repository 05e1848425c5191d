import type { Answer, MadeCall } from "../platform-server.ts";
import { answerMethod, blocksOf, type MethodContext } from "./methods.ts";
import { type Block, type SlackState } from "./state.ts";

const MAX_RESPONSES = 5;
const LOGIN: Answer = {
  headers: { "content-type": "text/html; charset=utf-8" },
  text: "<!doctype html><title>Sign in to Slack</title>",
};

/** Returns what Slack returns at any of its addresses: methods, uploads, files and responses. */
export function answerAddress(context: MethodContext, call: MadeCall): Answer {
  const { state } = context;
  const [, kind, ...rest] = call.path.split("/");
  switch (kind) {
    case "api": {
      return answerMethod(context, rest.join("/"), call);
    }
    case "upload": {
      return takeUpload(state, rest[1] ?? "", call);
    }
    case "files-pri": {
      return giveFile(state, call);
    }
    case "actions": {
      return takeResponse(state, call);
    }
    default: {
      return { status: 404, text: "" };
    }
  }
}

function takeUpload(state: SlackState, id: string, { body, headers }: MadeCall): Answer {
  const upload = state.uploads.get(id);
  if (upload === undefined) return { status: 404, text: "" };
  // Forms are taken too: the file is in there somewhere.
  const isForm = headers["content-type"]?.startsWith("multipart/") ?? false;
  if (!isForm && body.length !== upload.length) return { status: 400, text: "length" };
  upload.bytes = body;
  return { text: `OK - ${body.length}` };
}

/** Without a token that may read files, Slack shows its login page with status 200. */
function giveFile(state: SlackState, { path, headers }: MadeCall): Answer {
  const file = state.files.get(path);
  const isAllowed =
    headers["authorization"] === `Bearer ${state.botToken}` && !state.missingScopes.has("files:read");
  if (!isAllowed) return LOGIN;
  if (file === undefined) return { status: 404, text: "" };
  const disposition = `attachment; filename="${file.filename}"`;
  return {
    headers: { "content-type": file.mimeType, "content-disposition": disposition },
    bytes: file.bytes,
  };
}

interface Response {
  text?: string;
  blocks?: unknown;
  response_type?: string;
  replace_original?: boolean;
  delete_original?: boolean;
  thread_ts?: string;
}

function takeResponse(state: SlackState, { path, body }: MadeCall): Answer {
  const target = state.responses.get(path);
  if (target === undefined) return { status: 404, json: { ok: false, error: "invalid_url" } };
  if (target.isExpired) return { status: 404, json: { ok: false, error: "expired_url" } };
  if (target.uses >= MAX_RESPONSES) return { status: 404, json: { ok: false, error: "used_url" } };
  const given: Response = JSON.parse(body.toString());
  let blocks: Block[] | undefined;
  try {
    blocks = blocksOf(given.blocks);
  } catch {
    return { status: 400, json: { ok: false, error: "invalid_blocks" } };
  }
  const { original } = target;
  if (given.delete_original === true && original !== undefined) state.remove(original);
  else if (given.replace_original === true && original !== undefined) {
    original.text = given.text ?? "";
    original.blocks = blocks ?? [];
    original.edits += 1;
  } else {
    if ((given.text ?? "") === "" && blocks === undefined) {
      return { status: 500, json: { ok: false, error: "no_text" } };
    }
    state.addMessage({
      channelId: target.channelId,
      userId: state.botUser.id,
      threadTs: given.thread_ts,
      text: given.text ?? "",
      blocks: blocks ?? [],
      isEphemeral: given.response_type !== "in_channel",
    });
  }
  target.uses += 1;
  return { text: "ok" };
}
