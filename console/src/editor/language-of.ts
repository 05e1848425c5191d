import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { Extension } from "@codemirror/state";

/** The language of a file by its name, whose code is loaded now; nothing for a name of none. */
export async function languageOf(path: string): Promise<Extension> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  try {
    return (await LanguageDescription.matchFilename(languages, name)?.load()) ?? [];
  } catch {
    // Without its code, which may be of an older version of the service, the text has no colours.
    return [];
  }
}
