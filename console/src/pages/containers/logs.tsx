import { useQuery } from "@tanstack/preact-query";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { number, plural } from "../../parts/numbers.ts";
import { paced } from "../../service/pace.ts";
import { keys } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const FOLLOW_MS = 15_000;
const LINES = 1_000;

/** The last lines that a container put out. */
export function Logs({ project, container }: { project: string; container: string }) {
  const [isFollowed, setFollowed] = useState(true);
  const [search, setSearch] = useState("");
  const logs = useQuery({
    queryKey: [...keys.containers(project), container, "logs"],
    queryFn: ({ signal }) => workspace.containers.logs(project, container, { lines: LINES }, { signal }),
    refetchInterval: (read) => paced(read, isFollowed && FOLLOW_MS),
  });
  return (
    <>
      <Heading>Logs</Heading>
      <p>
        <Link href={`/projects/${project}/containers`}>Containers</Link>
      </p>
      <div class="row">
        <label for="log-search">Search</label>
        <input
          id="log-search"
          type="search"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <button type="button" disabled={logs.isFetching} onClick={() => void logs.refetch()}>
          Refresh
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowed}
            onChange={({ currentTarget }) => setFollowed(currentTarget.checked)}
          />
          Follow
        </label>
      </div>
      <Loaded of={logs}>
        {(found) => <Lines lines={found.logs} search={search.toLowerCase()} isFollowed={isFollowed} />}
      </Loaded>
    </>
  );
}

function Lines({
  lines,
  search,
  isFollowed,
}: {
  lines: readonly string[];
  search: string;
  isFollowed: boolean;
}) {
  const box = useRef<HTMLPreElement>(null);
  const shown = search === "" ? lines : lines.filter((line) => line.toLowerCase().includes(search));
  useLayoutEffect(() => {
    if (isFollowed && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, isFollowed]);
  if (lines.length === 0) return <p class="muted">No output yet.</p>;
  return (
    <>
      <p class="muted small" role="status">
        {search === ""
          ? `Last ${plural(lines.length, "line")}`
          : `${number(shown.length)} of ${plural(lines.length, "line")}`}
      </p>
      <pre class="wrapped" tabIndex={0} ref={box} aria-label="Lines">
        {shown.join("\n")}
      </pre>
    </>
  );
}
