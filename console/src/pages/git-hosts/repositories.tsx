import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const PAGE_SIZE = 30;

/** Repositories that the connected account can reach, the ones that changed last first. */
export function Repositories({ host }: { host: api.GitProviderStatus["provider"] }) {
  const [page, setPage] = useState(1);
  const found = useRead(["git-hosts", host, "repositories", page], (signal) =>
    workspace.request("GET", "/api/git-providers/{git_host}/repositories", {
      path: { git_host: host },
      query: { page, per_page: PAGE_SIZE },
      signal,
    }),
  );
  return (
    <Loaded of={found}>
      {({ repositories }) => (
        <>
          {repositories.length === 0 && <p class="muted">No repositories.</p>}
          <ul class="list">
            {repositories.map((repository) => (
              <li key={repository.id}>
                <a href={webAddress(repository.html_url)} target="_blank" rel="noreferrer">
                  {repository.full_name}
                </a>
                <span class="muted small">
                  {repository.private ? "private" : "public"} · {repository.default_branch ?? "empty"} ·
                  changed <Moment at={repository.updated_at} />
                </span>
                {repository.description !== null && <span class="small">{repository.description}</span>}
              </li>
            ))}
          </ul>
          {(page > 1 || repositories.length === PAGE_SIZE) && (
            <div class="row">
              <button type="button" disabled={page <= 1} onClick={() => setPage(page - 1)}>
                Newer
              </button>
              <button
                type="button"
                disabled={repositories.length < PAGE_SIZE}
                onClick={() => setPage(page + 1)}
              >
                Older
              </button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The host's word is not trusted: only an address of the web becomes a link. */
function webAddress(address: string): string | undefined {
  return /^https?:\/\//iu.test(address) ? address : undefined;
}
