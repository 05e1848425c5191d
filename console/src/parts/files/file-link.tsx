import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { Link } from "wouter-preact";
import { addressOf } from "./paths.ts";
import type { NamedFile } from "./linked-file.ts";
import { FileOpener } from "./opener.ts";

/** Leads to a file of the project; only its words where no project is. */
export function LinkedFile({
  children,
  isNamed = true,
  ...file
}: NamedFile & {
  /** Whether the words stand there also without a link. */
  isNamed?: boolean;
  children: ComponentChildren;
}) {
  const opener = useContext(FileOpener);
  if (!opener) return isNamed ? <>{children}</> : null;
  return (
    <Link
      href={addressOf(opener.project, file.path)}
      class="file-link"
      onClick={(event: MouseEvent) => {
        // In a new tab, as the person asks for it.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation();
        opener.openFile(file);
      }}
    >
      {children}
    </Link>
  );
}

/** A word of a program, which leads to the file that it names. */
export function FileName({ text }: { text: string }) {
  const file = useContext(FileOpener)?.fileNamed(text);
  const code = <code>{text}</code>;
  return file ? <LinkedFile {...file}>{code}</LinkedFile> : code;
}
