// Copyright The fabric-operator authors.
// SPDX-License-Identifier: Apache-2.0

// Command promql reads a file of rules as Prometheus does and prints what Prometheus would say against it. It ends with 1 then.
// promtool, which does this and much else, takes minutes to build.
package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	_, problems := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.Default())
	for _, problem := range problems {
		fmt.Println(problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}
