import { useQuery } from "@tanstack/preact-query";
import { Link, useSearchParams } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { bytes } from "../../parts/bytes.ts";
import { shownPath } from "../../parts/shown-path.ts";
import { snapshotsKey } from "../../parts/snapshots/use-snapshots.ts";
import { workspace } from "../../service/workspace.ts";

/** Larger texts are not shown. */
const MAX_SHOWN = 512 * 1024;

/** The address of a file in a snapshot. */
export function fileAddress(project: string, hash: string, path: string): string {
  return `/projects/${project}/history/${hash}/file?${new URLSearchParams({ path }).toString()}`;
}

/** A file as it was in a snapshot. */
export function SnapshotFile({ project, hash }: { project: string; hash: string }) {
  const [search] = useSearchParams();
  const path = search.get("path") ?? "";
  const content = useQuery({
    queryKey: [...snapshotsKey(project), hash, "file", path],
    queryFn: ({ signal }) => read(project, hash, path, signal),
  });
  const query = new URLSearchParams({ path }).toString();
  return (
    <>
      <Heading>{shownPath(path)}</Heading>
      <p class="muted">
        As it was in <Link href={`/projects/${project}/history/${hash}`}>this snapshot</Link>.
      </p>
      <p>
        <a
          class="button"
          href={`/api/projects/${project}/snapshots/${hash}/file?${query}`}
          download={path.slice(path.lastIndexOf("/") + 1)}
        >
          Download
        </a>
      </p>
      <Loaded of={content}>
        {({ text, size }) =>
          text === undefined ? (
            <p class="notice">
              This file is not text, or too large to show here ({bytes(size)}). Download it to open it.
            </p>
          ) : (
            <pre class="whole" tabIndex={0}>
              {text}
            </pre>
          )
        }
      </Loaded>
    </>
  );
}

async function read(project: string, hash: string, path: string, signal: AbortSignal) {
  const response = await workspace.response("GET", "/api/projects/{project}/snapshots/{hash}/file", {
    path: { project, hash },
    query: { path },
    signal,
  });
  const size = Number(response.headers.get("content-length"));
  if (size > MAX_SHOWN) {
    await response.body?.cancel();
    return { size, text: undefined };
  }
  const content = await response.arrayBuffer();
  const isShown = content.byteLength <= MAX_SHOWN;
  return { size: content.byteLength, text: isShown ? textIn(content) : undefined };
}

function textIn(content: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
