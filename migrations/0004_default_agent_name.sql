-- The marketplace has a "Workspace Agent", which this one was taken for.
UPDATE "agents" SET "name" = 'Default agent'
WHERE "id" = '00000000-0000-0000-0000-000000000005' AND "name" = 'Workspace agent';
