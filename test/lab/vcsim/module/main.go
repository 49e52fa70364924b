// vcsim runs the vCenter simulator of govmomi with the endpoints that the tests need: SOAP and, for tags, REST. The
// command of the same name is a module of its own that the Go module proxy does not serve.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator"
)

const version = "0.56.0"

func main() {
	model := simulator.VPX()
	flag.IntVar(&model.Datacenter, "dc", model.Datacenter, "number of datacenters")
	flag.IntVar(&model.Cluster, "cluster", model.Cluster, "number of clusters in each datacenter")
	flag.IntVar(&model.ClusterHost, "host", model.ClusterHost, "number of hosts in each cluster")
	flag.IntVar(&model.Host, "standalone-host", model.Host, "number of hosts outside clusters")
	flag.IntVar(&model.Machine, "vm", model.Machine, "number of virtual machines in each resource pool")
	listen := flag.String("l", "127.0.0.1:0", "address to listen on")
	username := flag.String("username", "", "the only user that may log in; empty: any")
	password := flag.String("password", "", "its password")
	certificate := flag.String("tlscert", "", "file with the certificate")
	key := flag.String("tlskey", "", "file with its key")
	showVersion := flag.Bool("version", false, "print the version")
	flag.Parse()
	if *showVersion {
		fmt.Println(version)
		return
	}
	if err := model.Create(); err != nil {
		log.Fatal(err)
	}
	defer model.Remove()
	model.Service.RegisterEndpoints = true
	model.Service.Listen = &url.URL{Host: *listen}
	if *username != "" {
		model.Service.Listen.User = url.UserPassword(*username, *password)
	}
	model.Service.TLS = new(tls.Config)
	if *certificate != "" {
		pair, err := tls.LoadX509KeyPair(*certificate, *key)
		if err != nil {
			log.Fatal(err)
		}
		model.Service.TLS.Certificates = []tls.Certificate{pair}
	}
	server := model.Service.NewServer()
	defer server.Close()
	fmt.Printf("listening on %s\n", server.URL.Host)
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		// The end of the process that started it.
		_, _ = io.Copy(io.Discard, os.Stdin)
		stopped <- syscall.SIGTERM
	}()
	<-stopped
}
