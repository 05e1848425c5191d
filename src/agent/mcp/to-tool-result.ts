import { z } from "zod";
import { sha256Bytes, sha256Hex } from "#src/lib/hash.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { estimateText } from "#src/models/estimate-tokens.ts";
import { readPicture } from "#src/models/picture.ts";
import type { McpContent, McpResult } from "#src/platform/mcp-client/mcp-client.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { foreignWords } from "../scrubbing/foreign-words.ts";
import { scrubText, type KnownSecrets } from "../scrubbing/scrub.ts";
import { grants } from "../tools/missing-scope.ts";
import { linkOnTheWay } from "../tools/notes/links.ts";
import type { ToolContext, ToolResult } from "../tools/tool.ts";
import type { ShownPicture } from "../tools/view-image.ts";
import { RESULT_TOKENS } from "./result-tokens.ts";

/** Where results are kept that do not fit into the window, and pictures. */
const FOLDER = ".workspace/mcp";
/** Most files of one result. */
const MOST_FILES = 10;
/** Part of the window's share that the text itself may take, beside the sentences about it. */
const TEXT_TOKENS = Math.floor(RESULT_TOKENS * 0.8);

export interface ResultDeps {
  secrets: Pick<RunSecrets, "known">;
}

interface Called {
  server: string;
  tool: string;
  context: ToolContext;
}

/** What a call of a server's tool comes to for the model. */
export async function toToolResult(deps: ResultDeps, result: McpResult, called: Called): Promise<ToolResult> {
  const kept = new KeptFiles(called);
  const known = await deps.secrets.known();
  const lines: string[] = [];
  for (const part of result.content) lines.push(await lineOf(part, kept, known));
  const text = withStructured(lines.join("\n"), result.structured);
  const fullText = estimateText(text) > TEXT_TOKENS ? await keepText(kept, text, known) : undefined;
  const fields = {
    mcp_server: called.server,
    mcp_tool: called.tool,
    ...(text !== "" && { text }),
    ...(kept.paths.length > 0 && { files: kept.paths }),
    ...(fullText !== undefined && { full_text: fullText }),
    ...(kept.picture && { picture: kept.picture }),
  };
  if (result.isError) {
    return { success: false, error: `${called.tool} reported an error.`, ...fields };
  }
  return { success: true, message: messageOf(called, text, fullText), ...fields };
}

function messageOf({ tool }: Called, text: string, fullText: string | undefined): string {
  if (text === "") return `${tool} returned nothing.`;
  return fullText === undefined ? `${tool} returned:` : `${tool} returned more than is shown: ${fullText}`;
}

/** The text, or the structured content where the text does not say the same. */
function withStructured(text: string, structured: unknown): string {
  if (structured === undefined || structured === null) return text;
  const json = JSON.stringify(structured);
  if (text.trim() === "") return json;
  return sameJson(text, json) ? text : `${text}\n${json}`;
}

function sameJson(text: string, json: string): boolean {
  const parsed = safeParseJson(text, z.unknown());
  return parsed !== undefined && JSON.stringify(parsed.value) === json;
}

/** Keeps a text that is too long for the window, without secrets. Returns where it is, or why it is nowhere. */
async function keepText(kept: KeptFiles, text: string, known: KnownSecrets): Promise<string> {
  const path = await kept.keep(new TextEncoder().encode(scrubText(text, known)), "txt");
  return path === undefined ? "it cannot be kept as a file here" : `the whole text is in ${path}`;
}

async function lineOf(part: McpContent, kept: KeptFiles, known: KnownSecrets): Promise<string> {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return kept.keepPicture(part.data);
    case "audio":
      return kept.keepData("a sound", part.data, extensionOf(part.mimeType));
    case "blob":
      return kept.keepData(foreignWords(part.uri, known, 300), part.blob, extensionOf(part.mimeType));
    case "resource":
      return `${foreignWords(part.uri, known, 300)}:\n${part.text}`;
    case "link":
      return `[link: ${foreignWords(`${part.uri} ${part.name} ${part.description}`, known, 1_000)}]`;
    case "other":
    default:
      return `[content of the kind ${foreignWords(part.kind, known, 40)}, which is not shown]`;
  }
}

function extensionOf(mimeType: string): string {
  return (
    /\/(?:x-)?(?<extension>[a-z0-9]{1,8})\b/u.exec(mimeType.toLowerCase())?.groups?.["extension"] ?? "bin"
  );
}

/** Files that a call has left in the project. */
class KeptFiles {
  readonly paths: string[] = [];
  /** The first picture, which the model is shown. */
  picture: ShownPicture | undefined;
  readonly #context: ToolContext;
  readonly #prefix: string;

  constructor({ server, tool, context }: Called) {
    this.#context = context;
    const name = `${server}-${tool}`.replaceAll(/[^A-Za-z0-9-]+/gu, "-").slice(0, 40);
    this.#prefix = `${FOLDER}/${name}-${sha256Hex(`${context.chatId}:${context.callId}:${Date.now()}`).slice(0, 8)}`;
  }

  async keepPicture(data: string): Promise<string> {
    const bytes = decoded(data);
    const picture = bytes && readPicture(bytes);
    if (!bytes || !picture) return "[a picture of a kind that is not supported]";
    const path = await this.keep(bytes, extensionOf(picture.mimeType));
    if (path === undefined) return "[a picture, which cannot be kept as a file here]";
    const isShown = this.#context.model.seesPictures && this.picture === undefined;
    if (isShown) {
      this.picture = { path, mime_type: picture.mimeType, detail: "auto", sha256: sha256Bytes(bytes) };
    }
    return isShown ? `[a picture, which you see beside this result: ${path}]` : `[a picture: ${path}]`;
  }

  async keepData(what: string, data: string, extension: string): Promise<string> {
    const bytes = decoded(data);
    const path = bytes && (await this.keep(bytes, extension));
    return path === undefined ? `[${what}, which cannot be kept as a file here]` : `[${what}: ${path}]`;
  }

  /** Writes a file. Undefined where the call may not write, or the project takes no more. */
  async keep(bytes: Uint8Array, extension: string): Promise<string | undefined> {
    const { runtime, readOnly, scopes } = this.#context;
    if (readOnly || !grants(scopes, "file.write") || this.paths.length >= MOST_FILES) return undefined;
    const path = `${this.#prefix}-${this.paths.length + 1}.${extension}`;
    try {
      if (await linkOnTheWay(runtime, path)) return undefined;
      await runtime.writeFile(path, bytes);
    } catch {
      this.#context.signal.throwIfAborted();
      return undefined;
    }
    this.paths.push(path);
    return path;
  }
}

function decoded(base64: string): Uint8Array | undefined {
  const bytes = Buffer.from(base64, "base64");
  return bytes.length > 0 ? new Uint8Array(bytes) : undefined;
}
