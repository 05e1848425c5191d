import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type * as Renderer from "./rendered.tsx";

/** What reads Markdown is loaded with the first text. */
const renderer = signal<typeof Renderer | undefined>(undefined);

/** Loads it ahead, by a page that will have such texts. */
export async function loadMarkdown(): Promise<void> {
  try {
    renderer.value ??= await import("./rendered.tsx");
  } catch {
    // Its text is read without, too; the next one tries again.
  }
}

/** Text of a model. It is shown as it was written until what reads it is there. */
export function Markdown({ text }: { text: string }) {
  const known = renderer.value;
  useEffect(() => void loadMarkdown(), []);
  if (known) return <known.Rendered text={text} />;
  return (
    <p class="unread" dir="auto">
      {text}
    </p>
  );
}
