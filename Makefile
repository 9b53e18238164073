.DEFAULT_GOAL := help
.PHONY: help run demo test lint faults soak bench fuzz coverage dashboard test-browser

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build the service and serve it on http://127.0.0.1:8080, with SQLite under ./data
	@scripts/install-build-needs build
	@scripts/build-dashboard --if-possible
	cargo run --release -p touchstone-cli -- serve

demo: ## fill an organization with ninety days of made-up data and serve it, with a link that signs in
	@scripts/install-build-needs build dashboard
	@scripts/build-dashboard
	cargo run --release -p touchstone-cli -- --database-url sqlite://data/demo.db demo --serve

test: ## run every test, on SQLite and on a throw-away PostgreSQL
	@scripts/install-build-needs build dashboard browser
	scripts/build-dashboard
	cd crates/web/dashboard && npm run test:unit
	scripts/with-postgres cargo test --workspace
	cargo build --workspace
	cd crates/web/dashboard && npm run test:browser

lint: ## check formatting, lints, docs, licences and the invariants of the architecture
	@scripts/install-build-needs build lint
	scripts/lint

faults: ## break everything under load on both databases and write the table into docs/RELIABILITY.md
	@scripts/install-build-needs build
	cargo build -p touchstone-tests --bins
	scripts/with-postgres cargo run -p touchstone-tests --bin drill

soak: ## run everything at once for TOUCHSTONE_SOAK_SECONDS (600) on both databases, and check what must hold
	@scripts/install-build-needs build
	cargo build --release -p touchstone-tests --bins
	scripts/with-postgres --durable cargo run --release -p touchstone-tests --bin soak

bench: ## measure both databases on this machine's disk and write docs/benchmarks.md
	@scripts/install-build-needs build dashboard browser
	scripts/build-dashboard
	cargo build --release -p touchstone-tests --bins
	scripts/with-postgres --durable cargo run --release -p touchstone-tests --bin bench

fuzz: ## throw generated requests at every route of the OpenAPI document
	@scripts/install-build-needs build fuzz
	scripts/fuzz

coverage: ## simulate how often the experiment interval covers and write docs/coverage.md
	cargo run --release -p touchstone-experiments --example coverage

dashboard: ## build the pages that the binary embeds
	@scripts/install-build-needs dashboard
	scripts/build-dashboard

test-browser: ## walk every page in a real browser, on the real server with demonstration data
	@scripts/install-build-needs build dashboard browser
	scripts/build-dashboard
	cargo build --workspace
	cd crates/web/dashboard && npm run test:browser
