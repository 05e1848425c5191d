import { errorOfCode, type WorkspaceError } from "../errors.ts";
import { fieldsOf, wholeOf, textOf } from "../json.ts";
import type { Frame } from "./connection.ts";

/** An error of the service by its code, or one of the client itself. */
export { errorOfCode as refusal } from "../errors.ts";

/** An error frame as an error; frames of terminals have no code of their own. */
export function refusalOf(frame: Frame, code = "error"): WorkspaceError {
  const data = fieldsOf(frame["data"]);
  const detail = textOf(frame["message"]) ?? textOf(frame["content"]) ?? "The service refused it";
  return errorOfCode(textOf(data["code"]) ?? code, detail, wholeOf(data["retry_after_seconds"]) || undefined);
}
