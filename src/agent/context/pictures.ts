import { MCP_PREFIX } from "#src/domain/agent-work/mcp/index.ts";
import { sha256Bytes } from "#src/lib/hash.ts";
import { supportsVision } from "#src/models/model-facts.ts";
import { ModelError, type ImagePart, type UserContent } from "#src/models/model.ts";
import { REQUEST_PICTURE_CHARS, REQUEST_PICTURES } from "#src/models/picture-limits.ts";
import { readPicture, type Picture } from "#src/models/picture.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { PastTurn } from "../turns/kept-parts.ts";
import { ShownPicture } from "../tools/view-image.ts";

/**
 * The pictures that calls of a task have shown. Turns are stored without them: they are read again from the project's
 * files, and a picture whose file has changed or is gone is no longer shown.
 */
export class Pictures {
  readonly #files: Pick<ProjectFiles, "readFile">;
  readonly #read = new Map<string, ImagePart | undefined>();

  constructor(files: Pick<ProjectFiles, "readFile">) {
    this.#files = files;
  }

  /**
   * Returns turns with their pictures: as many of the newest as a request may hold, and none for a model that cannot
   * see.
   */
  async beside(pastTurns: readonly PastTurn[], { seen }: { seen: boolean }): Promise<PastTurn[]> {
    let pictures = seen ? REQUEST_PICTURES : 0;
    let chars = REQUEST_PICTURE_CHARS;
    const turns: PastTurn[] = [];
    for (const turn of pastTurns.toReversed()) {
      const shownHere = new Map<string, ImagePart | undefined>();
      for (const { id, name, result } of turn.tool_calls.toReversed()) {
        const shown = showsPictures(name) ? ShownPicture.safeParse(result["picture"]).data : undefined;
        if (!shown) continue;
        const image = pictures > 0 && chars > 0 ? await this.#contents(shown) : undefined;
        pictures -= 1;
        chars -= image?.base64.length ?? 0;
        shownHere.set(id, image && chars >= 0 ? { ...image, detail: shown.detail } : undefined);
      }
      turns.push(shownHere.size > 0 ? { ...turn, pictures: shownHere } : turn);
    }
    return turns.toReversed();
  }

  async #contents({ path, sha256 }: ShownPicture): Promise<ImagePart | undefined> {
    if (!this.#read.has(sha256)) {
      // If the project does not respond, the picture is left out; the task need not fail.
      const bytes = await this.#files.readFile(path).catch(() => undefined);
      const isSame = bytes !== undefined && sha256Bytes(bytes) === sha256;
      const picture = isSame ? readPicture(bytes) : undefined;
      this.#read.set(sha256, bytes && picture && toPart(path, bytes, picture));
    }
    return this.#read.get(sha256);
  }
}

/** Whether results of a tool may have a picture: their `picture` is then the service's own word. */
const showsPictures = (name: string) => name === "view_image" || name.startsWith(MCP_PREFIX);

function toPart(path: string, bytes: Uint8Array, { mimeType, ...size }: Picture): ImagePart {
  return { type: "image", mimeType, base64: Buffer.from(bytes).toString("base64"), size, name: path };
}

/**
 * Returns whether the model sees pictures. Throws `invalid_request` when the message has pictures and the model does
 * not see them.
 */
export function requireSight(modelName: string, message: UserContent): boolean {
  const sees = supportsVision(modelName);
  const hasPictures = typeof message !== "string" && message.some(({ type }) => type === "image");
  if (hasPictures && !sees) {
    const words = `${modelName} cannot read images: choose another model`;
    throw new ModelError("invalid_request", words, { retryable: false });
  }
  return sees;
}
