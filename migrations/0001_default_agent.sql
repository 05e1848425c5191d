INSERT INTO "agents" ("id", "slug", "name", "description")
VALUES ('00000000-0000-0000-0000-000000000005', 'system-default', 'Workspace agent', 'Works on the files of a project and runs its commands.')
ON CONFLICT DO NOTHING;
