import { GitCommitHorizontal } from "lucide-preact";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useCommits } from "./reads.ts";

/** The newest commits of the branch. */
export function Log({ project, mayChange }: { project: string; mayChange: boolean }) {
  return (
    <Loaded of={useCommits(project)}>
      {({ commits }) => (
        <>
          {commits.length === 0 && (
            <Empty icon={GitCommitHorizontal} title="No commits yet">
              A commit records what changed in the files, and why.{" "}
              {mayChange
                ? "Change a file, then write a message above and commit it."
                : "An editor can make the first one."}
            </Empty>
          )}
          <ul class="list" aria-label="Commits">
            {commits.map(({ sha, short_sha, title, message, author, date }) => (
              <li key={sha}>
                <code>{short_sha}</code>
                <span title={message}>{title}</span>
                <span class="muted small">
                  {author.name} · <Moment at={date} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}
