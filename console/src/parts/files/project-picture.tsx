import { useContext, useEffect, useState } from "preact/hooks";
import { useProjectStatus } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { hasFiles } from "../project/when-awake.tsx";
import { LinkedFile } from "./file-link.tsx";
import { nameOf } from "./paths.ts";
import { FileOpener } from "./opener.ts";
import { pictureType } from "./picture-type.ts";

const MAX_BYTES = 20 * 1024 * 1024;

/** A picture among the files of the project, which opens its file; its name where it cannot be shown. */
export function ProjectPicture({ path, text }: { path: string; text: string }) {
  const opener = useContext(FileOpener);
  const name = text || nameOf(path);
  if (!opener) return <>{name}</>;
  return (
    <LinkedFile path={path}>
      {pictureType(path) === undefined ? (
        name
      ) : (
        <WhenAwake project={opener.project} path={path} name={name} />
      )}
    </LinkedFile>
  );
}

interface PictureProps {
  project: string;
  path: string;
  name: string;
}

/** To read a file would wake a project that is asleep, unasked. */
function WhenAwake(props: PictureProps) {
  const { data: status } = useProjectStatus(props.project);
  return status && hasFiles(status) ? <Picture {...props} /> : <>{props.name}</>;
}

function Picture({ project, path, name }: PictureProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    let made: string | undefined;
    const show = async () => {
      const content = await bytesOf(project, path, leaving.signal);
      if (!content || leaving.signal.aborted) return;
      made = URL.createObjectURL(new Blob([content], { type: pictureType(path) ?? "" }));
      setUrl(made);
    };
    // Its name stands there, and leads to the file, which says what is wrong.
    show().catch(() => {});
    return () => {
      leaving.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [project, path]);
  return url === undefined ? <>{name}</> : <img src={url} alt={name} />;
}

async function bytesOf(project: string, path: string, signal: AbortSignal): Promise<ArrayBuffer | undefined> {
  const asked = { path: { project }, query: { path }, signal };
  const response = await workspace.response("GET", "/api/projects/{project}/files/raw", asked);
  if (Number(response.headers.get("content-length")) <= MAX_BYTES) return response.arrayBuffer();
  await response.body?.cancel();
  return undefined;
}
