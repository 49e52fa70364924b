// Evaluates PromQL over given scrapes: the engine, the storage and the parsers of Prometheus, without its server.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

type input struct {
	Scrapes []scrape `json:"scrapes"`
	Queries []query  `json:"queries"`
	// A file of rules, checked as Prometheus does when it loads one.
	Rules string `json:"rules"`
}

type scrape struct {
	AtSeconds int64             `json:"atSeconds"`
	Labels    map[string]string `json:"labels"`
	Text      string            `json:"text"`
}

type query struct {
	Expression   string `json:"expression"`
	FromSeconds  int64  `json:"fromSeconds"`
	UntilSeconds int64  `json:"untilSeconds"`
	StepSeconds  int64  `json:"stepSeconds"`
}

type output struct {
	Problems []string `json:"problems"`
	Results  []result `json:"results"`
}

type result struct {
	Error  string        `json:"error,omitempty"`
	Series []foundSeries `json:"series"`
}

type foundSeries struct {
	Labels map[string]string `json:"labels"`
	// As texts: JSON has no NaN.
	Values []string `json:"values"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("promql version " + version())
		return
	}
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/prometheus/prometheus" {
			return module.Version
		}
	}
	return "unknown"
}

func run(stdin io.Reader, stdout io.Writer) error {
	var given input
	if err := json.NewDecoder(stdin).Decode(&given); err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "promql-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	db, err := tsdb.Open(directory, nil, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, each := range given.Scrapes {
		if err := appendScrape(db, each); err != nil {
			return fmt.Errorf("scrape at %d: %w", each.AtSeconds, err)
		}
	}
	answer := output{Problems: []string{}, Results: []result{}}
	if given.Rules != "" {
		_, problems := rulefmt.Parse([]byte(given.Rules), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
		for _, problem := range problems {
			answer.Problems = append(answer.Problems, problem.Error())
		}
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: time.Minute})
	for _, each := range given.Queries {
		answer.Results = append(answer.Results, evaluate(engine, db, each))
	}
	return json.NewEncoder(stdout).Encode(answer)
}

func appendScrape(db *tsdb.DB, given scrape) error {
	reader, err := textparse.New([]byte(given.Text), "text/plain", labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	appender := db.Appender(context.Background())
	for {
		entry, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return appender.Commit()
		}
		if err != nil {
			return err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, value := reader.Series()
		var own labels.Labels
		reader.Labels(&own)
		builder := labels.NewBuilder(own)
		for name, text := range given.Labels {
			builder.Set(name, text)
		}
		if _, err := appender.Append(0, builder.Labels(), given.AtSeconds*1000, value); err != nil {
			return err
		}
	}
}

func evaluate(engine *promql.Engine, queryable storage.Queryable, given query) result {
	from, until := time.Unix(given.FromSeconds, 0), time.Unix(given.UntilSeconds, 0)
	step := time.Duration(given.StepSeconds) * time.Second
	made, err := engine.NewRangeQuery(context.Background(), queryable, nil, given.Expression, from, until, step)
	if err != nil {
		return result{Error: err.Error()}
	}
	defer made.Close()
	answer := made.Exec(context.Background())
	if answer.Err != nil {
		return result{Error: answer.Err.Error()}
	}
	matrix, err := answer.Matrix()
	if err != nil {
		return result{Error: err.Error()}
	}
	series := []foundSeries{}
	for _, each := range matrix {
		found := foundSeries{Labels: each.Metric.Map(), Values: []string{}}
		for _, point := range each.Floats {
			found.Values = append(found.Values, strconv.FormatFloat(point.F, 'g', -1, 64))
		}
		series = append(series, found)
	}
	return result{Series: series}
}
